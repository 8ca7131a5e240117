import type { z } from 'zod/mini';

/** Blocks by their paths, each with its name in messages and its schema. */
export type Blocks = Readonly<Record<string, readonly [owner: string, schema: z.ZodMiniObject]>>;

/** Why fields are not enforced, by their paths. */
export type UnenforcedFields = Readonly<Record<string, string>>;

/** The fields of a block, by their paths from its owner. */
export function fieldsIn(block: string, fields: UnenforcedFields): UnenforcedFields {
  return Object.fromEntries(
    Object.entries(fields).map(([path, because]) => [`${block}.${path}`, because]),
  );
}
