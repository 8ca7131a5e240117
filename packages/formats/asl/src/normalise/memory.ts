import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import type { Memory, MemoryRead, MemoryType, MemoryWrite } from '../definition/memory.ts';
import {
  given,
  isAny,
  isText,
  numberOf,
  objectOf,
  partOf,
  type Placed,
  type Reading,
  records,
  textOf,
  texts,
} from './fields.ts';

/** The memory of a state, with what the workflow says of its memory filled in. */
export function readMemory(placed: Placed, reading: Reading): Memory | undefined {
  const memory = partOf(placed, 'Memory');
  if (!memory) return undefined;
  const { Read: reads, Write: writes, Type: type } = memory.value;
  const read = Array.isArray(reads)
    ? { value: { Keys: reads }, at: memory.at }
    : partOf(memory, 'Read');
  return {
    type: (textOf(type) as MemoryType | undefined) ?? typeOf(read),
    namespace: given(memory, 'Namespace', isText, 'JSONPath'),
    read: read && readRead(read, reading),
    writes: (isRecord(writes) ? [partOf(memory, 'Write')!] : records(memory, 'Write', reading)).map(
      readWrite,
    ),
  };
}

function typeOf(read: Placed | undefined): MemoryType {
  if (!read) return 'key_value';
  const has = (field: string) => Object.hasOwn(read.value, field);
  if (has('Query') || has('Query.$')) return 'semantic';
  return has('Filter') || (has('Collection') && !has('Keys')) ? 'episodic' : 'key_value';
}

function readRead(read: Placed, reading: Reading): MemoryRead {
  const { value: fields } = read;
  const order = textOf(fields['Order']);
  return {
    keys: texts(read, 'Keys', reading),
    injectAt: textOf(fields['InjectAt']) ?? '$._memory',
    unlessThere: fields['Default'] ?? null,
    query: given(read, 'Query', isText, 'JSONPath'),
    limit: numberOf(fields['TopK']) ?? numberOf(fields['Limit']) ?? 10,
    minScore: numberOf(fields['MinScore']) ?? 0,
    collection: textOf(fields['Collection']),
    filter: objectOf(fields['Filter']),
    order: order === 'oldest' || order === 'asc' ? 'oldest' : 'newest',
  };
}

function readWrite(write: Placed): MemoryWrite {
  const { value: fields } = write;
  const ttl = textOf(fields['TTL']);
  return {
    key: given(write, 'Key', isText, 'JSONPath'),
    value: readValue(write),
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    merge: fields['Merge'] === true,
    overwrite: fields['Overwrite'] !== false,
    collection: textOf(fields['Collection']),
  };
}

function readValue(write: Placed): MemoryWrite['value'] {
  return given<Json>(write, 'Value', isAny, 'JSONPath');
}

/** What the workflow says of memory, put into the block of a state that does not say it. */
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
