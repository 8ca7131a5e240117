import type { JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { block, count, positiveCount, text } from './field.ts';

const types = ['length', 'pattern', 'regex', 'schema', 'pii', 'semantic', 'custom'] as const;
const actions = ['block', 'redact', 'mask', 'warn', 'flag', 'retry'] as const;

/** Agent 5 §Rules */
export const guardrailRule = z.object({
  Type: z.enum(types).check(z.describe('What the rule tests.')),
  /** Agent 5 §Actions */
  Action: z.optional(z.enum(actions)).check(z.describe('What happens when the rule is broken.')),
  Name: z.optional(text).check(z.describe('The name of the rule in events and errors.')),
  Max: z.optional(count).check(z.describe('How many characters, of `length`.')),
  Min: z.optional(count).check(z.describe('The fewest characters, of `length`.')),
  Block: z.optional(z.array(text)).check(z.describe('Texts that must not occur, of `pattern`.')),
  Pattern: z.optional(text).check(z.describe('What must not occur, of `regex`.')),
  Schema: z.optional(block).check(z.describe('A JSON Schema, of `schema`.')),
  Detect: z
    .optional(z.union([z.literal(true), z.array(text)]))
    .check(z.describe('Kinds of personal data, of `pii`; `true` is all.')),
  Check: z.optional(text).check(z.describe('What must hold, in words, of `semantic`.')),
  Agent: z.optional(text).check(z.describe('The agent that judges, of `custom`.')),
});

const onFail = z.enum(['reject', 'fail_state', ...actions]);

/** Agent 5 §Guardrails */
export const guardrailSide = z.object({
  Validator: z.optional(text).check(z.describe('An agent that judges, before the rules.')),
  Rules: z.optional(z.array(guardrailRule)).check(z.describe('The rules, tested in this order.')),
  OnFail: z
    .optional(onFail)
    .check(
      z.describe('The action of rules that have none: `reject` and `fail_state` are `block`.'),
    ),
  MaxRetries: z
    .optional(positiveCount)
    .check(z.describe('How often the agent may retry, of `Output`.')),
});

/** Agent 5 §Guardrails */
export const guardrails = z.object({
  Input: z.optional(guardrailSide).check(z.describe('Guardrails of what the agent receives.')),
  Output: z.optional(guardrailSide).check(z.describe('Guardrails of what the agent answers.')),
});

export type GuardrailAction = 'block' | 'redact' | 'mask' | 'warn' | 'retry';

interface Rule {
  readonly name: string;
  readonly action: GuardrailAction;
  readonly at: Path;
}

export type GuardrailRule = Rule &
  (
    | { readonly type: 'length'; readonly max: number; readonly min: number }
    | { readonly type: 'pattern'; readonly texts: readonly string[] }
    | { readonly type: 'regex'; readonly pattern: string }
    | { readonly type: 'schema'; readonly schema: JsonObject }
    | { readonly type: 'pii'; readonly kinds: readonly string[] }
    | { readonly type: 'semantic'; readonly check: string }
    | { readonly type: 'custom'; readonly agent: string }
  );

export interface GuardrailSide {
  readonly rules: readonly GuardrailRule[];
  readonly retries: number;
}

export interface Guardrails {
  readonly Input: GuardrailSide | undefined;
  readonly Output: GuardrailSide | undefined;
}

/** Whether a model or agent judges the rule. The others are computed. */
export function isJudged({ type }: GuardrailRule): boolean {
  return type === 'semantic' || type === 'custom';
}
