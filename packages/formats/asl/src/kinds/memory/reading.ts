import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { partOf, type Part } from '../../authored.ts';
import { parseDuration } from '../../data/timestamp.ts';
import type { Memory, MemoryRead, MemoryType, MemoryWrite } from '../../definition/memory.ts';
import {
  readValueSource,
  isAny,
  isText,
  optionalNumber,
  optionalObject,
  readObjects,
  optionalString,
  readTexts,
} from '../../normalise/fields.ts';
import type { Reading } from '../../normalise/reading.ts';

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
