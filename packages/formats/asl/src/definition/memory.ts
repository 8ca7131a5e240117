import * as z from 'zod/mini';
import { optional, flag, number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

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

const types = ['key_value', 'semantic', 'episodic'] as const;

/** Agent 3 §Memory */
export const memory = z.object({
  Type: optional(z.enum(types), 'The kind of memory.'),
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

export type MemoryType = (typeof types)[number];

export interface Memory {
  readonly type: MemoryType;
  /** Undefined is a namespace named after the workflow. */
  readonly namespace: ValueSource<string> | undefined;
  readonly read: MemoryRead | undefined;
  readonly writes: readonly MemoryWrite[];
}

export interface MemoryRead {
  readonly keys: readonly string[];
  readonly injectAt: string;
  readonly unlessThere: unknown;
  readonly query: ValueSource<string> | undefined;
  readonly limit: number;
  readonly minScore: number;
  readonly collection: string | undefined;
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly order: 'newest' | 'oldest';
}

export interface MemoryWrite {
  readonly key: ValueSource<string> | undefined;
  readonly value: ValueSource | undefined;
  /** Milliseconds; undefined never expires. */
  readonly ttl: number | undefined;
  readonly merge: boolean;
  readonly overwrite: boolean;
  readonly collection: string | undefined;
}
