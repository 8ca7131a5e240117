import * as z from 'zod/mini';

/**
 * The option `unknownDefinitions` of a format: paths of names that refer to a missing definition, found by the command that knows
 * the definitions.
 */
export const unknownDefinitionsOption = z.optional(
  z.array(
    z.strictObject({
      path: z.array(z.union([z.string(), z.int()])),
      name: z.string(),
      /** The kind before the colon is misspelt. */
      meant: z.optional(z.string()),
      /** The definition exists, but starts this one again through these definitions. */
      cycle: z.optional(z.array(z.string())),
    }),
  ),
);

export type UnknownDefinitions = z.infer<typeof unknownDefinitionsOption>;
