import * as z from 'zod';
import { count, flag, text } from './field.ts';

/** Agents that are called for the chunks, the end and the failure of an answer. Agent 9 §Callbacks */
export const streamingCallbacks = z.object({
  OnChunk: text.optional(),
  OnComplete: text.optional(),
  OnError: text.optional(),
});

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: flag.optional(),
  Mode: z.enum(['token', 'line', 'chunk', 'sentence']).optional(),
  ChunkSize: count.optional(),
  Callbacks: streamingCallbacks.optional(),
  Buffer: z.unknown().optional(),
  ProgressPath: text.optional(),
  Milestones: z.unknown().optional(),
});

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
  readonly callbacks?: Readonly<Record<string, string>>;
}
