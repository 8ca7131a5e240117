import * as z from 'zod/mini';
import { optional, number, positiveCount, text } from './field.ts';

/** Agent 7 §Models */
export const model = z.object({
  Preferred: optional(text, 'The model that is asked first.'),
  Fallback: optional(
    text,
    'Asked when a call fails by one of the names in `FallbackOn`, or by any when that is left out.',
  ),
  FallbackOn: optional(z.array(text), 'The errors after which the fallback is asked.'),
});

/** Agent 7 §Models */
export const generation = z.object({
  Temperature: optional(
    number('a number, 0 or more', { type: 'number', minimum: 0 }),
    'How varied the answers are.',
  ),
  TopP: optional(
    number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }),
    'The share of probable words that the model samples from.',
  ),
  MaxTokens: optional(positiveCount, 'The longest answer in tokens.'),
  StopSequences: optional(z.array(text), 'Texts at which the answer ends.'),
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
