import * as z from 'zod';
import { count, flag, text } from './field.ts';

/** Agents that are called for the chunks, the end and the failure of an answer. Agent 9 §Callbacks */
export const streamingCallbacks = z.object({
  OnChunk: text.optional().describe('The agent that is called for each chunk.'),
  OnComplete: text.optional().describe('The agent that is called at the end.'),
  OnError: text.optional().describe('The agent that is called when the answer fails.'),
});

/** Agent 9 §Streaming */
export const streaming = z.object({
  Enabled: flag.optional().describe('Whether the answer is streamed.'),
  Mode: z.enum(['token', 'line', 'chunk', 'sentence']).optional().describe('What one chunk is.'),
  ChunkSize: count.optional().describe('The size of a chunk.'),
  Callbacks: streamingCallbacks
    .optional()
    .describe('Agents that are called for chunks, the end and the failure.'),
  Buffer: z.unknown().optional().describe('Has no effect yet.'),
  ProgressPath: text.optional().describe('Has no effect yet.'),
  Milestones: z.unknown().optional().describe('Has no effect yet.'),
});

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
  readonly callbacks?: Readonly<Record<string, string>>;
}
