import { z } from 'zod';

/** The JSON of migrations. Spec: docs/versions.md */

/** How a new version names what instances have. */
const migrationMap = z.strictObject({
  states: z.record(z.string(), z.string()).exactOptional(),
  data: z.record(z.string(), z.string().nullable()).exactOptional(),
  calls: z.enum(['keep', 'block']).exactOptional(),
});

/** Without the definition of the new version. */
export const assessInput = z.strictObject({
  map: migrationMap.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.string().optional(),
});

export const assessed = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      version: z.string(),
      verdict: z.enum(['compatible', 'migratable', 'blocked']),
      because: z.array(z.string()),
      losses: z.array(z.string()),
    }),
  ),
  next: z.string().optional(),
});

export const migrateInput = z.strictObject({
  map: migrationMap.optional(),
  /** The version that it runs. */
  from: z.string().optional(),
  /** Undoes the migration that is its last step. */
  undo: z.literal(true).optional(),
});
