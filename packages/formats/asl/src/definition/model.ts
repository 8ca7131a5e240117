import * as z from 'zod';
import { number, positiveCount, text } from './field.ts';

/** Agent 7 §Models */
export const model = z.object({
  Preferred: text.optional(),
  /** Asked when a call fails by one of the names in `FallbackOn`, or by any when that is left out. */
  Fallback: text.optional(),
  FallbackOn: z.array(text).optional(),
});

/** Agent 7 §Models */
export const generation = z.object({
  Temperature: number('a number, 0 or more', (value) => value >= 0).optional(),
  TopP: number('a number from 0 to 1', (value) => value >= 0 && value <= 1).optional(),
  MaxTokens: positiveCount.optional(),
  StopSequences: z.array(text).optional(),
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
