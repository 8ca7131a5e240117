import * as z from 'zod/mini';
import { optional, count, flag, text } from './field.ts';

/** Agents that are called for the chunks, the end and the failure of an answer. Agent 9 §Callbacks */
export const streamingCallbacks = z.object({
  OnChunk: optional(text, 'The agent that is called for each chunk.'),
  OnComplete: optional(text, 'The agent that is called at the end.'),
  OnError: optional(text, 'The agent that is called when the answer fails.'),
});

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: optional(flag, 'Whether the answer is streamed.'),
  Mode: optional(z.enum(['token', 'line', 'chunk', 'sentence']), 'What one chunk is.'),
  ChunkSize: optional(count, 'The size of a chunk.'),
  Callbacks: optional(
    streamingCallbacks,
    'Agents that are called for chunks, the end and the failure.',
  ),
  Buffer: optional(z.unknown(), 'Has no effect yet.'),
  ProgressPath: optional(text, 'Has no effect yet.'),
  Milestones: optional(z.unknown(), 'Has no effect yet.'),
});

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
  readonly callbacks?: Readonly<Record<string, string>>;
}
