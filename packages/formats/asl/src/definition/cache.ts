import { z } from 'zod';
import { flag, text } from './field.ts';
import type { Given } from './state.ts';

const scope = z.enum(['execution', 'workflow', 'global']);

/** What an agent has answered before is not asked again. Agent 7 §Cache */
export const cache = z.object({
  Enabled: flag.optional(),
  /** What makes two calls the same; the input of the agent when left out. */
  Key: text.optional(),
  'Key.$': text.optional(),
  /** How long an answer is good, `7d`; for ever when left out. */
  TTL: text.optional(),
  /** Who shares it: this run, all runs of the workflow, or all workflows. `workflow` when left out. */
  Scope: scope.optional(),
});

export interface Cache {
  readonly key: Given<string> | undefined;
  /** Milliseconds; for ever when undefined. */
  readonly ttl: number | undefined;
  readonly scope: z.infer<typeof scope>;
}
