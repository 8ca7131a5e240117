import * as z from 'zod/mini';
import { number, positiveCount, text } from './field.ts';

/** Agent 7 §Models */
export const model = z.object({
  Preferred: z.optional(text).check(z.describe('The model that is asked first.')),
  Fallback: z
    .optional(text)
    .check(
      z.describe(
        'Asked when a call fails by one of the names in `FallbackOn`, or by any when that is left out.',
      ),
    ),
  FallbackOn: z
    .optional(z.array(text))
    .check(z.describe('The errors after which the fallback is asked.')),
});

/** Agent 7 §Models */
export const generation = z.object({
  Temperature: z
    .optional(number('a number, 0 or more', { type: 'number', minimum: 0 }))
    .check(z.describe('How varied the answers are.')),
  TopP: z
    .optional(number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }))
    .check(z.describe('The share of probable words that the model samples from.')),
  MaxTokens: z.optional(positiveCount).check(z.describe('The longest answer in tokens.')),
  StopSequences: z.optional(z.array(text)).check(z.describe('Texts at which the answer ends.')),
});

/** Which models an agent uses. */
export interface Model {
  readonly preferred: string | undefined;
  readonly fallback: string | undefined;
  /** The errors after which the fallback is asked; undefined is any error. */
  readonly fallbackOn: readonly string[] | undefined;
}

/** Settings of a model, as authored. */
export type Generation = Readonly<Record<string, unknown>>;
