import * as z from 'zod';
import { flag, number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const share = number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 });

/** Agent 3 §Read */
const memoryRead = z.object({
  Keys: z.array(text).optional().describe('Of a `key_value` memory.'),
  InjectAt: text
    .optional()
    .describe("Where the memories go in the agent's input; `$._memory` when left out."),
  Default: z
    .unknown()
    .optional()
    .describe('The value of a key that was never written; null when left out.'),
  Query: text.optional().describe('Of a `semantic` memory: the search text.'),
  'Query.$': text.optional().describe('The value of `Query`, by a path or an intrinsic function.'),
  TopK: positiveCount.optional().describe('The most entries of a search.'),
  MinScore: share.optional().describe('The least similarity of a found entry, from 0 to 1.'),
  Collection: text.optional().describe('A part of the namespace.'),
  Filter: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Of an `episodic` memory: field values to match.'),
  Limit: positiveCount.optional().describe('The most entries.'),
  Order: z
    .enum(['newest', 'oldest', 'asc', 'desc'])
    .optional()
    .describe('The order of the entries.'),
});

/** Agent 3 §Write */
const memoryWrite = z.object({
  Key: text.optional().describe('The name of the entry.'),
  'Key.$': text.optional().describe('The value of `Key`, by a path or an intrinsic function.'),
  Value: z.unknown().optional().describe('The value to store.'),
  'Value.$': text.optional().describe('The value of `Value`, by a path or an intrinsic function.'),
  TTL: text.optional().describe('How long it is kept, such as `90d`, or `never` for no expiry.'),
  Merge: flag.optional().describe('Adds to an existing object or list.'),
  Overwrite: flag.optional().describe('False keeps an existing value; true when left out.'),
  Collection: text.optional().describe('The list of entries.'),
});

const types = ['key_value', 'semantic', 'episodic'] as const;

/** Agent 3 §Memory */
export const memory = z.object({
  Type: z.enum(types).optional().describe('The kind of memory.'),
  Namespace: text.optional().describe('Separates the entries of one use from others.'),
  'Namespace.$': text
    .optional()
    .describe('The value of `Namespace`, by a path or an intrinsic function.'),
  Read: z
    .union([z.array(text), memoryRead], 'a list of keys, or { "Keys": [...] }')
    .optional()
    .describe('What is read before the work.'),
  Write: z
    .union([z.array(memoryWrite), memoryWrite], 'a list of writes, or { "Key": ..., "Value": ... }')
    .optional()
    .describe('What is stored after the work.'),
});

/** Agent 3 §Backends */
export const workflowMemory = z.object({
  Namespace: text.optional().describe('Separates the entries of one use from others.'),
  DefaultTTL: text.optional().describe('How long entries are kept, such as `30d`.'),
  Backend: text.optional().describe('Has no effect: the host chooses the memory.'),
  Connection: z.unknown().optional().describe('Has no effect: the host chooses the memory.'),
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
