import * as z from 'zod/mini';
import { count, flag, text } from './field.ts';

/** Agents that are called for the chunks, the end and the failure of an answer. Agent 9 §Callbacks */
export const streamingCallbacks = z.object({
  OnChunk: z.optional(text).check(z.describe('The agent that is called for each chunk.')),
  OnComplete: z.optional(text).check(z.describe('The agent that is called at the end.')),
  OnError: z.optional(text).check(z.describe('The agent that is called when the answer fails.')),
});

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: z.optional(flag).check(z.describe('Whether the answer is streamed.')),
  Mode: z
    .optional(z.enum(['token', 'line', 'chunk', 'sentence']))
    .check(z.describe('What one chunk is.')),
  ChunkSize: z.optional(count).check(z.describe('The size of a chunk.')),
  Callbacks: z
    .optional(streamingCallbacks)
    .check(z.describe('Agents that are called for chunks, the end and the failure.')),
  Buffer: z.optional(z.unknown()).check(z.describe('Has no effect yet.')),
  ProgressPath: z.optional(text).check(z.describe('Has no effect yet.')),
  Milestones: z.optional(z.unknown()).check(z.describe('Has no effect yet.')),
});

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
  readonly callbacks?: Readonly<Record<string, string>>;
}
