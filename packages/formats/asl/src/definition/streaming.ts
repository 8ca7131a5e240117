import { z } from 'zod';
import { count, flag, text } from './field.ts';

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

/** How an agent streams its answer. */
export interface Streaming {
  readonly mode: string;
  readonly chunkSize?: number;
}
