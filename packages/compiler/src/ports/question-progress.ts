import * as z from 'zod';

/** Fields of a question to several people, or with an escalation. */
export const questionProgress = {
  /** Where several people have to approve: how many, and who has so far. */
  approvals: z
    .object({
      required: z.int().positive(),
      /** `at` is in ISO 8601. */
      given: z.array(z.object({ by: z.string(), at: z.string(), comment: z.string().optional() })),
    })
    .optional(),
  /** What happens while nobody decides: somebody else may decide, or the question is approved. Earliest first. */
  escalations: z
    .array(
      z.object({
        /** Milliseconds since 1970 UTC. */
        at: z.number(),
        to: z.string().optional(),
        approves: z.literal(true).optional(),
      }),
    )
    .optional(),
};
