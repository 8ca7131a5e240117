import * as z from 'zod/mini';
import { flag, text } from './field.ts';
import type { ValueSource } from './state.ts';

const scope = z.enum(['execution', 'workflow', 'global']);

/** Reuses earlier answers of an agent. Agent 7 §Cache */
export const cache = z.object({
  Enabled: z.optional(flag).check(z.describe('Whether answers are reused.')),
  Key: z
    .optional(text)
    .check(z.describe('What makes two calls the same; the input of the agent when left out.')),
  'Key.$': z
    .optional(text)
    .check(z.describe('The value of `Key`, by a path or an intrinsic function.')),
  TTL: z
    .optional(text)
    .check(z.describe('How long an answer is valid, `7d`; indefinitely when left out.')),
  Scope: z
    .optional(scope)
    .check(
      z.describe(
        'What shares it: this run, all runs of the workflow, or all workflows. `workflow` when left out.',
      ),
    ),
});

export interface Cache {
  readonly key: ValueSource<string> | undefined;
  /** Milliseconds; undefined is indefinitely. */
  readonly ttl: number | undefined;
  readonly scope: z.infer<typeof scope>;
}
