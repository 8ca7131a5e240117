import * as z from 'zod';

export const damagedRecord = z.object({
  id: z.string().optional(),
  reason: z.string(),
  where: z.string(),
});

/** What a verification of the store has found. */
export const verified = z.object({
  records: z.number(),
  lines: z.number(),
  damaged: z.array(damagedRecord),
  /** Instances that have work left, which nothing stored would continue. */
  stuck: z.array(z.object({ id: z.string(), reason: z.string() })),
});
