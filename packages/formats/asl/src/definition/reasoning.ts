import * as z from 'zod';
import { flag, positiveCount, text } from './field.ts';

const formats = ['chain_of_thought', 'tree_of_thoughts', 'reflection', 'free_form'] as const;

/** Agent 5 §Reasoning */
export const reasoning = z.object({
  Required: flag.optional().describe('Whether an answer without reasoning fails.'),
  Format: z.enum(formats).optional().describe('The form of the reasoning.'),
  MinSteps: positiveCount.optional().describe('The fewest steps.'),
  MaxSteps: positiveCount.optional().describe('The most steps.'),
  Store: text.optional().describe('Where in the data it is stored; nowhere when left out.'),
});

export interface Reasoning {
  readonly required: boolean;
  readonly format: (typeof formats)[number];
  readonly minSteps: number | undefined;
  readonly maxSteps: number | undefined;
  readonly store: string | undefined;
}
