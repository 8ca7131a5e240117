import * as z from 'zod/mini';
import { flag, positiveCount, text } from './field.ts';

const formats = ['chain_of_thought', 'tree_of_thoughts', 'reflection', 'free_form'] as const;

/** Agent 5 §Reasoning */
export const reasoning = z.object({
  Required: z.optional(flag).check(z.describe('Whether an answer without reasoning fails.')),
  Format: z.optional(z.enum(formats)).check(z.describe('The form of the reasoning.')),
  MinSteps: z.optional(positiveCount).check(z.describe('The fewest steps.')),
  MaxSteps: z.optional(positiveCount).check(z.describe('The most steps.')),
  Store: z
    .optional(text)
    .check(z.describe('Where in the data it is stored; nowhere when left out.')),
});

export interface Reasoning {
  readonly required: boolean;
  readonly format: (typeof formats)[number];
  readonly minSteps: number | undefined;
  readonly maxSteps: number | undefined;
  readonly store: string | undefined;
}
