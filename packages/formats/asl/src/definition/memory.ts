import * as z from 'zod';
import { flag, number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const share = number('a number from 0 to 1', (value) => value >= 0 && value <= 1);

/** Agent 3 §Read */
const memoryRead = z.object({
  /** Of a `key_value` memory. */
  Keys: z.array(text).optional(),
  /** Where the memories go in the agent's input; `$._memory` when left out. */
  InjectAt: text.optional(),
  /** The value of a key that was never written; null when left out. */
  Default: z.unknown().optional(),
  /** Of a `semantic` memory: the search text. */
  Query: text.optional(),
  'Query.$': text.optional(),
  TopK: positiveCount.optional(),
  MinScore: share.optional(),
  /** A part of the namespace. */
  Collection: text.optional(),
  /** Of an `episodic` memory: field values to match. */
  Filter: z.record(z.string(), z.unknown()).optional(),
  Limit: positiveCount.optional(),
  Order: z.enum(['newest', 'oldest', 'asc', 'desc']).optional(),
});

/** Agent 3 §Write */
const memoryWrite = z.object({
  Key: text.optional(),
  'Key.$': text.optional(),
  Value: z.unknown().optional(),
  'Value.$': text.optional(),
  /** How long it is kept, such as `90d`, or `never` for no expiry. */
  TTL: text.optional(),
  /** Adds to an existing object or list. */
  Merge: flag.optional(),
  /** False keeps an existing value; true when left out. */
  Overwrite: flag.optional(),
  Collection: text.optional(),
});

const types = ['key_value', 'semantic', 'episodic'] as const;

/** Agent 3 §Memory */
export const memory = z.object({
  Type: z.enum(types).optional(),
  Namespace: text.optional(),
  'Namespace.$': text.optional(),
  Read: z.union([z.array(text), memoryRead], 'a list of keys, or { "Keys": [...] }').optional(),
  Write: z
    .union([z.array(memoryWrite), memoryWrite], 'a list of writes, or { "Key": ..., "Value": ... }')
    .optional(),
});

/** Agent 3 §Backends */
export const workflowMemory = z.object({
  Namespace: text.optional(),
  DefaultTTL: text.optional(),
  Backend: text.optional(),
  Connection: z.unknown().optional(),
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
