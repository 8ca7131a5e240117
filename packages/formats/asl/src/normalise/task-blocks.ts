import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type Part, partOf } from '../authored.ts';
import { personalDataKinds } from '../data/linear-pattern.ts';
import { parseDuration } from '../data/timestamp.ts';
import {
  type Audit,
  type Cache,
  type ContextWindow,
  type Generation,
  type GuardrailAction,
  type GuardrailRule,
  type Guardrails,
  type GuardrailSide,
  type Idempotency,
  idempotencyFields,
  type Memory,
  type MemoryRead,
  type MemoryType,
  type MemoryWrite,
  type Model,
  type Streaming,
} from '../definition/task-blocks.ts';
import {
  asRecord,
  isAny,
  isText,
  optionalNumber,
  optionalObject,
  optionalString,
  type Reading,
  readObjects,
  readTexts,
  readValueSource,
} from './fields.ts';

export function readAudit(state: Part, reading: Reading): Audit | undefined {
  const part = partOf(state, 'Audit');
  if (!part) return undefined;
  // The paths of all states apply to the whole workflow, so lowering collects them. A list that is too long is reported here.
  readTexts(part, 'Redact', reading);
  return {
    level: (optionalString(part.value['LogLevel']) as Audit['level'] | undefined) ?? 'standard',
    metrics: readTexts(part, 'Metrics', reading) as Audit['metrics'][number][],
  };
}

/** `Cache`, or its short form `CacheResult` with `CacheTTL`. Agent 7 §Cache, Agent 8 §Idempotency */
export function readCache(authored: Part): Cache | undefined {
  const { value: fields } = authored;
  const block = partOf(authored, 'Cache');
  if (!block && fields['CacheResult'] !== true) return undefined;
  if (block?.value['Enabled'] === false) return undefined;
  const ttl = optionalString(block ? block.value['TTL'] : fields['CacheTTL']);
  const scope = optionalString(block?.value['Scope']);
  return {
    key: block && readValueSource(block, 'Key', isText, 'JSONPath'),
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    scope: (scope as Cache['scope'] | undefined) ?? 'workflow',
  };
}

/** The default of `MaxTokens`. */
const usual = 8000;

export function readContextWindow(authored: Part, reading: Reading): ContextWindow | undefined {
  const context = partOf(authored, 'Context');
  if (!context) return undefined;
  const { value: fields } = context;
  const strategy = optionalString(fields['Strategy']) as ContextWindow['strategy'] | undefined;
  return {
    strategy: strategy ?? (Array.isArray(fields['Priority']) ? 'priority_based' : 'sliding_window'),
    maxTokens: optionalNumber(fields['MaxTokens']) ?? usual,
    priority: readTexts(context, 'Priority', reading),
    include: readTexts(context, 'Include', reading),
    exclude: readTexts(context, 'Exclude', reading),
    search: strategy === 'semantic' ? readSearch(context) : undefined,
    summary: readSummary(fields),
  };
}

function readSearch(context: Part): ContextWindow['search'] {
  const query = readValueSource(context, 'Query', isText, 'JSONPath');
  const candidates = optionalString(context.value['Candidates']);
  return query && candidates !== undefined
    ? { query, candidates, most: optionalNumber(context.value['TopK']) ?? 10 }
    : undefined;
}

function readSummary(fields: Readonly<Record<string, unknown>>): ContextWindow['summary'] {
  const summarize = asRecord(fields['Summarize']);
  const agent = optionalString(summarize['Using']);
  if (agent === undefined || summarize['When'] === 'Never') return undefined;
  return {
    agent,
    always: summarize['When'] === 'Always',
    target: optionalString(summarize['Target']) ?? '$',
    ratio: optionalNumber(summarize['Ratio']),
  };
}

export function readGuardrails(authored: Part, reading: Reading): Guardrails | undefined {
  const part = partOf(authored, 'Guardrails');
  return (
    part && {
      Input: readSide(partOf(part, 'Input'), reading),
      Output: readSide(partOf(part, 'Output'), reading),
    }
  );
}

function readSide(authored: Part | undefined, reading: Reading): GuardrailSide | undefined {
  if (!authored) return undefined;
  const { value: fields, at } = authored;
  const retries = optionalNumber(fields['MaxRetries']);
  const unlessSaid = readAction(fields['OnFail']) ?? (retries === undefined ? 'block' : 'retry');
  const validator = optionalString(fields['Validator']);
  const judge: GuardrailRule[] =
    validator === undefined
      ? []
      : [
          {
            type: 'custom',
            agent: validator,
            name: validator,
            action: unlessSaid,
            at: [...at, 'Validator'],
          },
        ];
  const rules = readObjects(authored, 'Rules', reading).flatMap((rule) => {
    const kind = readRule(rule, reading);
    if (!kind) return [];
    const name = optionalString(rule.value['Name']) ?? kind.type;
    const action = readAction(rule.value['Action']) ?? unlessSaid;
    return [{ ...kind, name, action, at: rule.at } as GuardrailRule];
  });
  return { rules: [...judge, ...rules], retries: retries ?? 3 };
}

function readAction(written: unknown): GuardrailAction | undefined {
  switch (written) {
    case 'reject':
    case 'fail_state':
      return 'block';
    case 'flag':
      return 'warn';
    case 'block':
    case 'redact':
    case 'mask':
    case 'warn':
    case 'retry':
      return written;
    default:
      return undefined;
  }
}

/** Reads what a guardrail looks for; undefined when a required field is missing, which a rule reports. */
function readRule(rule: Part, reading: Reading) {
  const { value: fields } = rule;
  switch (fields['Type']) {
    case 'length':
      return {
        type: 'length',
        max: optionalNumber(fields['Max']) ?? Infinity,
        min: optionalNumber(fields['Min']) ?? 0,
      };
    case 'pattern':
      return { type: 'pattern', texts: readTexts(rule, 'Block', reading) };
    case 'regex': {
      const pattern = optionalString(fields['Pattern']);
      return pattern === undefined ? undefined : { type: 'regex', pattern };
    }
    case 'schema': {
      const schema = optionalObject(fields['Schema']);
      return schema && { type: 'schema', schema };
    }
    case 'pii': {
      const kinds = readTexts(rule, 'Detect', reading);
      return { type: 'pii', kinds: kinds.length > 0 ? kinds : personalDataKinds };
    }
    case 'semantic': {
      const check = optionalString(fields['Check']);
      return check === undefined ? undefined : { type: 'semantic', check };
    }
    case 'custom': {
      const agent = optionalString(fields['Agent']);
      return agent === undefined ? undefined : { type: 'custom', agent };
    }
    default:
      return undefined;
  }
}

export function readIdempotency(authored: Part): Idempotency | undefined {
  const { value: fields } = authored;
  if (!Object.keys(idempotencyFields).some((field) => Object.hasOwn(fields, field)))
    return undefined;
  return {
    key: readValueSource(authored, 'IdempotencyKey', isText, 'JSONPath'),
    isGenerated: fields['Idempotent'] === true,
  };
}

export function readModel({ value: fields }: Part): Model | undefined {
  const model = optionalObject(fields['Model']);
  if (!model) return undefined;
  const on = model['FallbackOn'];
  return {
    preferred: optionalString(model['Preferred']),
    fallback: optionalString(model['Fallback']),
    fallbackOn: Array.isArray(on) ? on.filter((name) => typeof name === 'string') : undefined,
  };
}

export function readGeneration({ value: fields }: Part): Generation | undefined {
  return optionalObject(fields['Generation']);
}

const names = [
  ['OnChunk', 'onChunk'],
  ['OnComplete', 'onComplete'],
  ['OnError', 'onError'],
] as const;

export function readStreaming({ value: fields }: Part): Streaming | undefined {
  const streaming = optionalObject(fields['Streaming']);
  if (!streaming || streaming['Enabled'] === false) return undefined;
  const written = optionalObject(streaming['Callbacks']);
  const callbacks =
    written &&
    names.flatMap(([field, name]) => {
      const agent = optionalString(written[field]);
      return agent === undefined ? [] : [[name, agent] as const];
    });
  const chunkSize = optionalNumber(streaming['ChunkSize']);
  return {
    mode: optionalString(streaming['Mode']) ?? 'token',
    ...(chunkSize !== undefined && { chunkSize }),
    ...(callbacks && { callbacks: Object.fromEntries(callbacks) }),
  };
}

/** The memory of a state; the workflow's defaults are filled in already. */
export function readMemory(authored: Part, reading: Reading): Memory | undefined {
  const memory = partOf(authored, 'Memory');
  if (!memory) return undefined;
  const { Read: reads, Write: writes, Type: type } = memory.value;
  const read = Array.isArray(reads)
    ? { value: { Keys: reads }, at: memory.at }
    : partOf(memory, 'Read');
  return {
    type: (optionalString(type) as MemoryType | undefined) ?? typeOf(read),
    namespace: readValueSource(memory, 'Namespace', isText, 'JSONPath'),
    read: read && readRead(read, reading),
    writes: (isRecord(writes)
      ? [partOf(memory, 'Write')!]
      : readObjects(memory, 'Write', reading)
    ).map(readWrite),
  };
}

function typeOf(read: Part | undefined): MemoryType {
  if (!read) return 'key_value';
  const has = (field: string) => Object.hasOwn(read.value, field);
  if (has('Query') || has('Query.$')) return 'semantic';
  return has('Filter') || (has('Collection') && !has('Keys')) ? 'episodic' : 'key_value';
}

function readRead(read: Part, reading: Reading): MemoryRead {
  const { value: fields } = read;
  const order = optionalString(fields['Order']);
  return {
    keys: readTexts(read, 'Keys', reading),
    injectAt: optionalString(fields['InjectAt']) ?? '$._memory',
    unlessThere: fields['Default'] ?? null,
    query: readValueSource(read, 'Query', isText, 'JSONPath'),
    limit: optionalNumber(fields['TopK']) ?? optionalNumber(fields['Limit']) ?? 10,
    minScore: optionalNumber(fields['MinScore']) ?? 0,
    collection: optionalString(fields['Collection']),
    filter: optionalObject(fields['Filter']),
    order: order === 'oldest' || order === 'asc' ? 'oldest' : 'newest',
  };
}

function readWrite(write: Part): MemoryWrite {
  const { value: fields } = write;
  const ttl = optionalString(fields['TTL']);
  return {
    key: readValueSource(write, 'Key', isText, 'JSONPath'),
    value: readValue(write),
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    merge: fields['Merge'] === true,
    overwrite: fields['Overwrite'] !== false,
    collection: optionalString(fields['Collection']),
  };
}

function readValue(write: Part): MemoryWrite['value'] {
  return readValueSource<Json>(write, 'Value', isAny, 'JSONPath');
}

/** Fills the workflow's defaults for memory into the block of a state. */
export function withWorkflowMemory(authored: JsonObject, workflow: JsonObject): JsonObject {
  const { Namespace: namespace, DefaultTTL: ttl } = workflow;
  const isNamed = 'Namespace' in authored || 'Namespace.$' in authored;
  const kept = (write: Json): Json =>
    isRecord(write) && ttl !== undefined ? { TTL: ttl, ...write } : write;
  const { Write: writes } = authored;
  return {
    ...(namespace !== undefined && !isNamed && { Namespace: namespace }),
    ...authored,
    ...(writes !== undefined && { Write: Array.isArray(writes) ? writes.map(kept) : kept(writes) }),
  };
}
