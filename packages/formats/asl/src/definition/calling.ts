import { z } from 'zod';
import type { Given } from './state.ts';
import { count, flag, number, positiveCount, text } from './field.ts';

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

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: flag.optional(),
  Mode: z.enum(['token', 'line', 'chunk', 'sentence']).optional(),
  ChunkSize: count.optional(),
  Callbacks: z.unknown().optional(),
  Buffer: z.unknown().optional(),
  ProgressPath: text.optional(),
  Milestones: z.unknown().optional(),
});

const told = z.object({ Type: text, Include: z.array(text).optional() });

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: told.optional(),
  OnExit: told.optional(),
  OnError: told.optional(),
});

/** What a definition says of how an agent is asked. */
export interface Calling {
  readonly model: string | undefined;
  readonly fallbackModel: string | undefined;
  /** Undefined is any error. */
  readonly fallbackOn: readonly string[] | undefined;
  readonly generation: Readonly<Record<string, unknown>> | undefined;
  /** The definition's own name for the call. */
  readonly idempotencyKey: Given<string> | undefined;
  /** The call has a name that is the same for every attempt, though the definition gives it none. */
  readonly isIdempotent: boolean;
  readonly stream: { readonly mode: string; readonly chunkSize?: number } | undefined;
}
