import * as z from 'zod/mini';

/** Fields of a question to several people, or with an escalation. */
export const questionProgress = {
  /** For a question to several people: how many must approve, and who has so far. */
  approvals: z.optional(
    z.object({
      required: z.int().check(z.positive()),
      /** `at` is in ISO 8601. */
      given: z.array(z.object({ by: z.string(), at: z.string(), comment: z.optional(z.string()) })),
    }),
  ),
  /** What happens while nobody decides: somebody else may decide, or the question is approved. Earliest first. */
  escalations: z.optional(
    z.array(
      z.object({
        /** Milliseconds since 1970 UTC. */
        at: z.number(),
        to: z.optional(z.string()),
        approves: z.optional(z.literal(true)),
      }),
    ),
  ),
};
