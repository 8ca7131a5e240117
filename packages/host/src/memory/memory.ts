import { isRecord, type Json } from '@dramaturg/compiler';

/** A remembered value, with the instance that has stored each part of it. */
export interface Memory {
  readonly namespace: string;
  readonly name: string;
  /** A list has one part for each item, an object one for each field, and any other value is one part. */
  readonly kind: 'list' | 'object' | 'value';
  readonly parts: readonly MemoryPart[];
  /** When it was stored, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** When it expires, in milliseconds since 1970 UTC. */
  readonly until?: number;
  /** The last calls that changed it. A repeated call changes nothing. */
  readonly by: readonly MemoryCall[];
}

interface MemoryPart {
  /** The instance that has stored it; absent when the caller was no instance of a host. */
  readonly instance?: string;
  /** The name of the field of an object. */
  readonly field?: string;
  readonly value: Json;
}

interface MemoryCall {
  readonly instance?: string;
  /** The idempotency key. */
  readonly key: string;
}

/** The parts of a new value. */
export function partsOf(value: Json, instance?: string): Pick<Memory, 'kind' | 'parts'> {
  const author = authorOf(instance);
  if (Array.isArray(value))
    return { kind: 'list', parts: (value as Json[]).map((item) => ({ ...author, value: item })) };
  if (!isRecord(value)) return { kind: 'value', parts: [{ ...author, value }] };
  const fields = Object.entries(value);
  return {
    kind: 'object',
    parts: fields.map(([field, each]) => ({ ...author, field, value: each })),
  };
}

/** Appends to lists, merges the fields of objects, and replaces anything else. */
export function mergedParts(
  memory: Memory,
  value: Json,
  instance?: string,
): Pick<Memory, 'kind' | 'parts'> {
  if (memory.kind === 'list') {
    const added = partsOf(Array.isArray(value) ? value : [value], instance);
    return { kind: 'list', parts: [...memory.parts, ...added.parts] };
  }
  const added = partsOf(value, instance);
  if (memory.kind !== 'object' || added.kind !== 'object') return added;
  const fields = new Map([...memory.parts, ...added.parts].map((part) => [part.field, part]));
  return { kind: 'object', parts: [...fields.values()] };
}

export function valueOf({ kind, parts }: Memory): Json {
  if (kind === 'list') return parts.map(({ value }) => value);
  if (kind === 'object')
    return Object.fromEntries(parts.map(({ field, value }) => [field!, value]));
  return parts[0]!.value;
}

/** Whether an instance has stored a part of the memory. */
export function isFrom({ parts, by }: Memory, instances: ReadonlySet<string>): boolean {
  return [...parts, ...by].some((each) => isBy(each, instances));
}

/** The memory without the data of these instances; undefined when nothing is left. */
export function without(memory: Memory, instances: ReadonlySet<string>): Memory | undefined {
  const parts = memory.parts.filter((part) => !isBy(part, instances));
  const by = memory.by.filter((call) => !isBy(call, instances));
  return parts.length === 0 ? undefined : { ...memory, parts, by };
}

/** The memory with only the data of these instances; undefined when it has none. */
export function only(memory: Memory, instances: ReadonlySet<string>): Memory | undefined {
  const parts = memory.parts.filter((part) => isBy(part, instances));
  return parts.length === 0 ? undefined : { ...memory, parts };
}

/** The field that names the author of a part or a call. */
export function authorOf(instance: string | undefined): { readonly instance?: string } {
  return instance === undefined ? {} : { instance };
}

function isBy(
  { instance }: { readonly instance?: string },
  instances: ReadonlySet<string>,
): boolean {
  return instance !== undefined && instances.has(instance);
}
