import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { type Part, partOf } from '../authored.ts';
import { personalDataKinds } from '../data/linear-pattern.ts';
import { parseDuration } from '../data/timestamp.ts';
import {
  asRecord,
  isAny,
  isText,
  optionalNumber,
  optionalObject,
  optionalString,
  readObjects,
  readTexts,
  readValueSource,
  type Reporting,
} from '../normalise/fields.ts';
import {
  agentOnly,
  block,
  count,
  flag,
  number,
  optional,
  positiveCount,
  described,
  text,
} from './field.ts';

const levels = ['minimal', 'standard', 'full', 'debug'] as const;
const metrics = ['latency', 'tokens', 'cost'] as const;

/** Agent 5 §Audit */
export const audit = z.object({
  LogLevel: optional(
    z.enum(levels),
    'How much the record of the state tells; `standard` when left out.',
  ),
  Redact: optional(z.array(text), 'Paths of data that no event may show.'),
  Metrics: optional(z.array(z.enum(metrics)), 'What is measured.'),
  Trace: optional(flag, 'Has no effect yet.'),
});

const scope = z.enum(['execution', 'workflow', 'global']);

/** Reuses earlier answers of an agent. Agent 7 §Cache */
export const cache = z.object({
  Enabled: optional(flag, 'Whether answers are reused.'),
  Key: optional(text, 'What makes two calls the same; the input of the agent when left out.'),
  'Key.$': optional(text, 'The value of `Key`, by a path or an intrinsic function.'),
  TTL: optional(text, 'How long an answer is valid, `7d`; indefinitely when left out.'),
  Scope: optional(
    scope,
    'What shares it: this run, all runs of the workflow, or all workflows. `workflow` when left out.',
  ),
});

export type Cache = NonNullable<ReturnType<typeof readCache>>;

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });
const strategies = ['sliding_window', 'priority_based', 'semantic', 'summarize'] as const;
const whens = ['TokensExceed', 'Always', 'Never'] as const;

export const summary = z.object({
  When: optional(z.enum(whens), 'When data is summarised.'),
  Using: optional(text, 'The agent that summarises.'),
  Target: optional(text, 'The part that is summarised; all when left out.'),
  Ratio: optional(
    number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }),
    'The length of the summary relative to its source.',
  ),
});

/** Agent 3 §Context */
export const contextWindow = z.object({
  Strategy: optional(z.enum(strategies), '`sliding_window` when left out.'),
  MaxTokens: optional(positive, "The size limit of the agent's input; 8000 when left out."),
  Priority: optional(z.array(text), 'Paths, the most important first, of `priority_based`.'),
  Include: optional(z.array(text), 'Paths that are always included, and paths that never are.'),
  Exclude: optional(z.array(text), 'Paths of data to leave out.'),
  Query: optional(text, 'The search text for `Candidates`, of `semantic`.'),
  'Query.$': optional(text, 'The value of `Query`, by a path or an intrinsic function.'),
  Candidates: optional(text, 'Where the searched list is.'),
  TopK: optional(positiveCount, 'The most passages of a search.'),
  Summarize: optional(summary, 'How data is summarised.'),
});

export type ContextWindow = NonNullable<ReturnType<typeof readContextWindow>>;

const guardrailTypes = [
  'length',
  'pattern',
  'regex',
  'schema',
  'pii',
  'semantic',
  'custom',
] as const;
const actions = ['block', 'redact', 'mask', 'warn', 'flag', 'retry'] as const;

/** Agent 5 §Rules */
export const guardrailRule = z.object({
  Type: described(z.enum(guardrailTypes), 'What the rule tests.'),
  /** Agent 5 §Actions */
  Action: optional(z.enum(actions), 'What happens when the rule is broken.'),
  Name: optional(text, 'The name of the rule in events and errors.'),
  Max: optional(count, 'How many characters, of `length`.'),
  Min: optional(count, 'The fewest characters, of `length`.'),
  Block: optional(z.array(text), 'Texts that must not occur, of `pattern`.'),
  Pattern: optional(text, 'What must not occur, of `regex`.'),
  Schema: optional(block, 'A JSON Schema, of `schema`.'),
  Detect: optional(
    z.union([z.literal(true), z.array(text)]),
    'Kinds of personal data, of `pii`; `true` is all.',
  ),
  Check: optional(text, 'What must hold, in words, of `semantic`.'),
  Agent: optional(text, 'The agent that judges, of `custom`.'),
});

const onFail = z.enum(['reject', 'fail_state', ...actions]);

/** Agent 5 §Guardrails */
export const guardrailSide = z.object({
  Validator: optional(text, 'An agent that judges, before the rules.'),
  Rules: optional(z.array(guardrailRule), 'The rules, tested in this order.'),
  OnFail: optional(
    onFail,
    'The action of rules that have none: `reject` and `fail_state` are `block`.',
  ),
  MaxRetries: optional(positiveCount, 'How often the agent may retry, of `Output`.'),
});

/** Agent 5 §Guardrails */
export const guardrails = z.object({
  Input: optional(guardrailSide, 'Guardrails of what the agent receives.'),
  Output: optional(guardrailSide, 'Guardrails of what the agent answers.'),
});

type GuardrailAction = 'block' | 'redact' | 'mask' | 'warn' | 'retry';

interface Rule {
  readonly name: string;
  readonly action: GuardrailAction;
  readonly at: Path;
}

export type GuardrailRule = Rule &
  (
    | { readonly type: 'length'; readonly max: number; readonly min: number }
    | { readonly type: 'pattern'; readonly texts: readonly string[] }
    | { readonly type: 'regex'; readonly pattern: string }
    | { readonly type: 'schema'; readonly schema: JsonObject }
    | { readonly type: 'pii'; readonly kinds: readonly string[] }
    | { readonly type: 'semantic'; readonly check: string }
    | { readonly type: 'custom'; readonly agent: string }
  );

export type GuardrailSide = NonNullable<ReturnType<typeof readSide>>;

export type Guardrails = NonNullable<ReturnType<typeof readGuardrails>>;

/** Whether a model or agent judges the rule. The others are computed. */
export function isJudged({ type }: GuardrailRule): boolean {
  return type === 'semantic' || type === 'custom';
}

/** Agent 8 §Idempotency */
export const idempotencyFields = {
  Idempotent: agentOnly(flag, 'Whether the work may be repeated without harm.'),
  IdempotencyKey: agentOnly(text, 'Names the work, so that it is done once.'),
  'IdempotencyKey.$': agentOnly(
    text,
    'The value of `IdempotencyKey`, by a path or an intrinsic function.',
  ),
};

/** Agent 7 §Models */
export const model = z.object({
  Preferred: optional(text, 'The model that is asked first.'),
  Fallback: optional(
    text,
    'Asked when a call fails by one of the names in `FallbackOn`, or by any when that is left out.',
  ),
  FallbackOn: optional(z.array(text), 'The errors after which the fallback is asked.'),
});

/** Agent 7 §Models */
export const generation = z.object({
  Temperature: optional(
    number('a number, 0 or more', { type: 'number', minimum: 0 }),
    'How varied the answers are.',
  ),
  TopP: optional(
    number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }),
    'The share of probable words that the model samples from.',
  ),
  MaxTokens: optional(positiveCount, 'The longest answer in tokens.'),
  StopSequences: optional(z.array(text), 'Texts at which the answer ends.'),
});

/** Settings of a model, as authored. */
type Generation = Readonly<Record<string, unknown>>;

/** Agents that are called for the chunks, the end and the failure of an answer. Agent 9 §Callbacks */
export const streamingCallbacks = z.object({
  OnChunk: optional(text, 'The agent that is called for each chunk.'),
  OnComplete: optional(text, 'The agent that is called at the end.'),
  OnError: optional(text, 'The agent that is called when the answer fails.'),
});

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: optional(flag, 'Whether the answer is streamed.'),
  Mode: optional(z.enum(['token', 'line', 'chunk', 'sentence']), 'What one chunk is.'),
  ChunkSize: optional(count, 'The size of a chunk.'),
  Callbacks: optional(
    streamingCallbacks,
    'Agents that are called for chunks, the end and the failure.',
  ),
  Buffer: optional(z.unknown(), 'Has no effect yet.'),
  ProgressPath: optional(text, 'Has no effect yet.'),
  Milestones: optional(z.unknown(), 'Has no effect yet.'),
});

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
  readonly callbacks?: Readonly<Record<string, string>>;
}

const share = number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 });

/** Agent 3 §Read */
export const memoryRead = z.object({
  Keys: optional(z.array(text), 'Of a `key_value` memory.'),
  InjectAt: optional(
    text,
    "Where the memories go in the agent's input; `$._memory` when left out.",
  ),
  Default: optional(z.unknown(), 'The value of a key that was never written; null when left out.'),
  Query: optional(text, 'Of a `semantic` memory: the search text.'),
  'Query.$': optional(text, 'The value of `Query`, by a path or an intrinsic function.'),
  TopK: optional(positiveCount, 'The most entries of a search.'),
  MinScore: optional(share, 'The least similarity of a found entry, from 0 to 1.'),
  Collection: optional(text, 'A part of the namespace.'),
  Filter: optional(
    z.record(z.string(), z.unknown()),
    'Of an `episodic` memory: field values to match.',
  ),
  Limit: optional(positiveCount, 'The most entries.'),
  Order: optional(z.enum(['newest', 'oldest', 'asc', 'desc']), 'The order of the entries.'),
});

/** Agent 3 §Write */
export const memoryWrite = z.object({
  Key: optional(text, 'The name of the entry.'),
  'Key.$': optional(text, 'The value of `Key`, by a path or an intrinsic function.'),
  Value: optional(z.unknown(), 'The value to store.'),
  'Value.$': optional(text, 'The value of `Value`, by a path or an intrinsic function.'),
  TTL: optional(text, 'How long it is kept, such as `90d`, or `never` for no expiry.'),
  Merge: optional(flag, 'Adds to an existing object or list.'),
  Overwrite: optional(flag, 'False keeps an existing value; true when left out.'),
  Collection: optional(text, 'The list of entries.'),
});

const memoryTypes = ['key_value', 'semantic', 'episodic'] as const;

/** Agent 3 §Memory */
export const memory = z.object({
  Type: optional(z.enum(memoryTypes), 'The kind of memory.'),
  Namespace: optional(text, 'Separates the entries of one use from others.'),
  'Namespace.$': optional(text, 'The value of `Namespace`, by a path or an intrinsic function.'),
  Read: optional(
    z.union([z.array(text), memoryRead], 'a list of keys, or { "Keys": [...] }'),
    'What is read before the work.',
  ),
  Write: optional(
    z.union(
      [z.array(memoryWrite), memoryWrite],
      'a list of writes, or { "Key": ..., "Value": ... }',
    ),
    'What is stored after the work.',
  ),
});

/** Agent 3 §Backends */
export const workflowMemory = z.object({
  Namespace: optional(text, 'Separates the entries of one use from others.'),
  DefaultTTL: optional(text, 'How long entries are kept, such as `30d`.'),
  Backend: optional(text, 'Has no effect: the host chooses the memory.'),
  Connection: optional(z.unknown(), 'Has no effect: the host chooses the memory.'),
});

type MemoryType = (typeof memoryTypes)[number];

export type Memory = NonNullable<ReturnType<typeof readMemory>>;

const formats = ['chain_of_thought', 'tree_of_thoughts', 'reflection', 'free_form'] as const;

/** Agent 5 §Reasoning */
export const reasoning = z.object({
  Required: optional(flag, 'Whether an answer without reasoning fails.'),
  Format: optional(z.enum(formats), 'The form of the reasoning.'),
  MinSteps: optional(positiveCount, 'The fewest steps.'),
  MaxSteps: optional(positiveCount, 'The most steps.'),
  Store: optional(text, 'Where in the data it is stored; nowhere when left out.'),
});

export interface Reasoning {
  readonly required: boolean;
  readonly format: (typeof formats)[number];
  readonly minSteps: number | undefined;
  readonly maxSteps: number | undefined;
  readonly store: string | undefined;
}

export function readAudit(state: Part, reading: Reporting) {
  const part = partOf(state, 'Audit');
  if (!part) return undefined;
  // The paths of all states apply to the whole workflow, so lowering collects them. A list that is too long is reported here.
  readTexts(part, 'Redact', reading);
  return {
    level:
      (optionalString(part.value['LogLevel']) as (typeof levels)[number] | undefined) ?? 'standard',
    metrics: readTexts(part, 'Metrics', reading) as (typeof metrics)[number][],
  };
}

/** `Cache`, or its short form `CacheResult` with `CacheTTL`. Agent 7 §Cache, Agent 8 §Idempotency */
export function readCache(authored: Part) {
  const { value: fields } = authored;
  const owner = partOf(authored, 'Cache');
  if (!owner && fields['CacheResult'] !== true) return undefined;
  if (owner?.value['Enabled'] === false) return undefined;
  const ttl = optionalString(owner ? owner.value['TTL'] : fields['CacheTTL']);
  const found = optionalString(owner?.value['Scope']);
  return {
    key: owner && readValueSource(owner, 'Key', isText, 'JSONPath'),
    /** Milliseconds; undefined is indefinitely. */
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    scope: (found as z.infer<typeof scope> | undefined) ?? 'workflow',
  };
}

/** The default of `MaxTokens`. */
const usual = 8000;

export function readContextWindow(authored: Part, reading: Reporting) {
  const context = partOf(authored, 'Context');
  if (!context) return undefined;
  const { value: fields } = context;
  const strategy = optionalString(fields['Strategy']) as (typeof strategies)[number] | undefined;
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

function readSearch(context: Part) {
  const query = readValueSource(context, 'Query', isText, 'JSONPath');
  const candidates = optionalString(context.value['Candidates']);
  return query && candidates !== undefined
    ? { query, candidates, most: optionalNumber(context.value['TopK']) ?? 10 }
    : undefined;
}

function readSummary(fields: Readonly<Record<string, unknown>>) {
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

export function readGuardrails(authored: Part, reading: Reporting) {
  const part = partOf(authored, 'Guardrails');
  return (
    part && {
      Input: readSide(partOf(part, 'Input'), reading),
      Output: readSide(partOf(part, 'Output'), reading),
    }
  );
}

function readSide(authored: Part | undefined, reading: Reporting) {
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
function readRule(rule: Part, reading: Reporting) {
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

export function readIdempotency(authored: Part) {
  const { value: fields } = authored;
  if (!Object.keys(idempotencyFields).some((field) => Object.hasOwn(fields, field)))
    return undefined;
  return {
    /** As authored. */
    key: readValueSource(authored, 'IdempotencyKey', isText, 'JSONPath'),
    /** Whether the key is generated when none is authored. */
    isGenerated: fields['Idempotent'] === true,
  };
}

export function readModel({ value: fields }: Part) {
  const written = optionalObject(fields['Model']);
  if (!written) return undefined;
  const on = written['FallbackOn'];
  return {
    preferred: optionalString(written['Preferred']),
    fallback: optionalString(written['Fallback']),
    /** The errors after which the fallback is asked; undefined is any error. */
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
  const settings = optionalObject(fields['Streaming']);
  if (!settings || settings['Enabled'] === false) return undefined;
  const written = optionalObject(settings['Callbacks']);
  const callbacks =
    written &&
    names.flatMap(([field, name]) => {
      const agent = optionalString(written[field]);
      return agent === undefined ? [] : [[name, agent] as const];
    });
  const chunkSize = optionalNumber(settings['ChunkSize']);
  return {
    mode: optionalString(settings['Mode']) ?? 'token',
    ...(chunkSize !== undefined && { chunkSize }),
    ...(callbacks && { callbacks: Object.fromEntries(callbacks) }),
  };
}

/** The memory of a state; the workflow's defaults are filled in already. */
export function readMemory(authored: Part, reading: Reporting) {
  const remembered = partOf(authored, 'Memory');
  if (!remembered) return undefined;
  const { Read: reads, Write: writes, Type: type } = remembered.value;
  const read = Array.isArray(reads)
    ? { value: { Keys: reads }, at: remembered.at }
    : partOf(remembered, 'Read');
  return {
    type: (optionalString(type) as MemoryType | undefined) ?? typeOf(read),
    /** Undefined is a namespace named after the workflow. */
    namespace: readValueSource(remembered, 'Namespace', isText, 'JSONPath'),
    read: read && readRead(read, reading),
    writes: (isRecord(writes)
      ? [partOf(remembered, 'Write')!]
      : readObjects(remembered, 'Write', reading)
    ).map(readWrite),
  };
}

function typeOf(read: Part | undefined): MemoryType {
  if (!read) return 'key_value';
  const has = (field: string) => Object.hasOwn(read.value, field);
  if (has('Query') || has('Query.$')) return 'semantic';
  return has('Filter') || (has('Collection') && !has('Keys')) ? 'episodic' : 'key_value';
}

function readRead(read: Part, reading: Reporting) {
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
    order: order === 'oldest' || order === 'asc' ? ('oldest' as const) : ('newest' as const),
  };
}

function readWrite(write: Part) {
  const { value: fields } = write;
  const ttl = optionalString(fields['TTL']);
  return {
    key: readValueSource(write, 'Key', isText, 'JSONPath'),
    value: readValueSource<Json>(write, 'Value', isAny, 'JSONPath'),
    /** Milliseconds; undefined never expires. */
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    merge: fields['Merge'] === true,
    overwrite: fields['Overwrite'] !== false,
    collection: optionalString(fields['Collection']),
  };
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
