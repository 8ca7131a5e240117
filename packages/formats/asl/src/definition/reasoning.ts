import * as z from 'zod';
import { flag, positiveCount, text } from './field.ts';

const formats = ['chain_of_thought', 'tree_of_thoughts', 'reflection', 'free_form'] as const;

/** Agent 5 §Reasoning */
export const reasoning = z.object({
  /** Whether an answer without reasoning fails. */
  Required: flag.optional(),
  Format: z.enum(formats).optional(),
  MinSteps: positiveCount.optional(),
  MaxSteps: positiveCount.optional(),
  /** Where in the data it is stored; nowhere when left out. */
  Store: text.optional(),
});

export interface Reasoning {
  readonly required: boolean;
  readonly format: (typeof formats)[number];
  readonly minSteps: number | undefined;
  readonly maxSteps: number | undefined;
  readonly store: string | undefined;
}
