import * as z from 'zod/mini';
import { optional, flag, text } from './field.ts';
import type { ValueSource } from './state.ts';

const scope = z.enum(['execution', 'workflow', 'global']);

/** Reuses earlier answers of an agent. Agent 7 §Cache */
export const cache = z.object({
  Enabled: optional(flag, 'Whether answers are reused.'),
  Key: optional(text, 'What makes two calls the same; the input of the agent when left out.'),
  'Key.$': optional(text, 'The value of `Key`, by a path or an intrinsic function.'),
  TTL: optional(text, 'How long an answer is valid, `7d`; indefinitely when left out.'),
  Scope: optional(
    scope,
    'What shares it: this run, all runs of the workflow, or all workflows. `workflow` when left out.',
  ),
});

export interface Cache {
  readonly key: ValueSource<string> | undefined;
  /** Milliseconds; undefined is indefinitely. */
  readonly ttl: number | undefined;
  readonly scope: z.infer<typeof scope>;
}
