import * as z from 'zod/mini';
import { flag, number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const share = number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 });

/** Agent 3 §Read */
export const memoryRead = z.object({
  Keys: z.optional(z.array(text)).check(z.describe('Of a `key_value` memory.')),
  InjectAt: z
    .optional(text)
    .check(z.describe("Where the memories go in the agent's input; `$._memory` when left out.")),
  Default: z
    .optional(z.unknown())
    .check(z.describe('The value of a key that was never written; null when left out.')),
  Query: z.optional(text).check(z.describe('Of a `semantic` memory: the search text.')),
  'Query.$': z
    .optional(text)
    .check(z.describe('The value of `Query`, by a path or an intrinsic function.')),
  TopK: z.optional(positiveCount).check(z.describe('The most entries of a search.')),
  MinScore: z
    .optional(share)
    .check(z.describe('The least similarity of a found entry, from 0 to 1.')),
  Collection: z.optional(text).check(z.describe('A part of the namespace.')),
  Filter: z
    .optional(z.record(z.string(), z.unknown()))
    .check(z.describe('Of an `episodic` memory: field values to match.')),
  Limit: z.optional(positiveCount).check(z.describe('The most entries.')),
  Order: z
    .optional(z.enum(['newest', 'oldest', 'asc', 'desc']))
    .check(z.describe('The order of the entries.')),
});

/** Agent 3 §Write */
export const memoryWrite = z.object({
  Key: z.optional(text).check(z.describe('The name of the entry.')),
  'Key.$': z
    .optional(text)
    .check(z.describe('The value of `Key`, by a path or an intrinsic function.')),
  Value: z.optional(z.unknown()).check(z.describe('The value to store.')),
  'Value.$': z
    .optional(text)
    .check(z.describe('The value of `Value`, by a path or an intrinsic function.')),
  TTL: z
    .optional(text)
    .check(z.describe('How long it is kept, such as `90d`, or `never` for no expiry.')),
  Merge: z.optional(flag).check(z.describe('Adds to an existing object or list.')),
  Overwrite: z
    .optional(flag)
    .check(z.describe('False keeps an existing value; true when left out.')),
  Collection: z.optional(text).check(z.describe('The list of entries.')),
});

const types = ['key_value', 'semantic', 'episodic'] as const;

/** Agent 3 §Memory */
export const memory = z.object({
  Type: z.optional(z.enum(types)).check(z.describe('The kind of memory.')),
  Namespace: z.optional(text).check(z.describe('Separates the entries of one use from others.')),
  'Namespace.$': z
    .optional(text)
    .check(z.describe('The value of `Namespace`, by a path or an intrinsic function.')),
  Read: z
    .optional(z.union([z.array(text), memoryRead], 'a list of keys, or { "Keys": [...] }'))
    .check(z.describe('What is read before the work.')),
  Write: z
    .optional(
      z.union(
        [z.array(memoryWrite), memoryWrite],
        'a list of writes, or { "Key": ..., "Value": ... }',
      ),
    )
    .check(z.describe('What is stored after the work.')),
});

/** Agent 3 §Backends */
export const workflowMemory = z.object({
  Namespace: z.optional(text).check(z.describe('Separates the entries of one use from others.')),
  DefaultTTL: z.optional(text).check(z.describe('How long entries are kept, such as `30d`.')),
  Backend: z.optional(text).check(z.describe('Has no effect: the host chooses the memory.')),
  Connection: z
    .optional(z.unknown())
    .check(z.describe('Has no effect: the host chooses the memory.')),
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
