import * as z from 'zod/mini';
import { optional, flag, positiveCount, text } from './field.ts';

const formats = ['chain_of_thought', 'tree_of_thoughts', 'reflection', 'free_form'] as const;

/** Agent 5 §Reasoning */
export const reasoning = z.object({
  Required: optional(flag, 'Whether an answer without reasoning fails.'),
  Format: optional(z.enum(formats), 'The form of the reasoning.'),
  MinSteps: optional(positiveCount, 'The fewest steps.'),
  MaxSteps: optional(positiveCount, 'The most steps.'),
  Store: optional(text, 'Where in the data it is stored; nowhere when left out.'),
});

export interface Reasoning {
  readonly required: boolean;
  readonly format: (typeof formats)[number];
  readonly minSteps: number | undefined;
  readonly maxSteps: number | undefined;
  readonly store: string | undefined;
}
