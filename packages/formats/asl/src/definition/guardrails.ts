import type { JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { required, optional, block, count, positiveCount, text } from './field.ts';

const types = ['length', 'pattern', 'regex', 'schema', 'pii', 'semantic', 'custom'] as const;
const actions = ['block', 'redact', 'mask', 'warn', 'flag', 'retry'] as const;

/** Agent 5 §Rules */
export const guardrailRule = z.object({
  Type: required(z.enum(types), 'What the rule tests.'),
  /** Agent 5 §Actions */
  Action: optional(z.enum(actions), 'What happens when the rule is broken.'),
  Name: optional(text, 'The name of the rule in events and errors.'),
  Max: optional(count, 'How many characters, of `length`.'),
  Min: optional(count, 'The fewest characters, of `length`.'),
  Block: optional(z.array(text), 'Texts that must not occur, of `pattern`.'),
  Pattern: optional(text, 'What must not occur, of `regex`.'),
  Schema: optional(block, 'A JSON Schema, of `schema`.'),
  Detect: optional(
    z.union([z.literal(true), z.array(text)]),
    'Kinds of personal data, of `pii`; `true` is all.',
  ),
  Check: optional(text, 'What must hold, in words, of `semantic`.'),
  Agent: optional(text, 'The agent that judges, of `custom`.'),
});

const onFail = z.enum(['reject', 'fail_state', ...actions]);

/** Agent 5 §Guardrails */
export const guardrailSide = z.object({
  Validator: optional(text, 'An agent that judges, before the rules.'),
  Rules: optional(z.array(guardrailRule), 'The rules, tested in this order.'),
  OnFail: optional(
    onFail,
    'The action of rules that have none: `reject` and `fail_state` are `block`.',
  ),
  MaxRetries: optional(positiveCount, 'How often the agent may retry, of `Output`.'),
});

/** Agent 5 §Guardrails */
export const guardrails = z.object({
  Input: optional(guardrailSide, 'Guardrails of what the agent receives.'),
  Output: optional(guardrailSide, 'Guardrails of what the agent answers.'),
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
