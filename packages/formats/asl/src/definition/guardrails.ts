import type { JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod';
import { block, count, positiveCount, text } from './field.ts';

const types = ['length', 'pattern', 'regex', 'schema', 'pii', 'semantic', 'custom'] as const;
const actions = ['block', 'redact', 'mask', 'warn', 'flag', 'retry'] as const;

/** Agent 5 §Rules */
export const guardrailRule = z.object({
  Type: z.enum(types),
  /** What happens when the rule is broken. Agent 5 §Actions */
  Action: z.enum(actions).optional(),
  /** The name of the rule in events and errors. */
  Name: text.optional(),
  /** How many characters, of `length`. */
  Max: count.optional(),
  Min: count.optional(),
  /** Texts that must not occur, of `pattern`. */
  Block: z.array(text).optional(),
  /** What must not occur, of `regex`. */
  Pattern: text.optional(),
  /** A JSON Schema, of `schema`. */
  Schema: block.optional(),
  /** Kinds of personal data, of `pii`; `true` is all. */
  Detect: z.union([z.literal(true), z.array(text)]).optional(),
  /** What must hold, in words, of `semantic`. */
  Check: text.optional(),
  /** The agent that judges, of `custom`. */
  Agent: text.optional(),
});

const onFail = z.enum(['reject', 'fail_state', ...actions]);

/** Agent 5 §Guardrails */
export const guardrailSide = z.object({
  /** An agent that judges, before the rules. */
  Validator: text.optional(),
  Rules: z.array(guardrailRule).optional(),
  /** The action of rules that have none: `reject` and `fail_state` are `block`. */
  OnFail: onFail.optional(),
  /** How often the agent may retry, of `Output`. */
  MaxRetries: positiveCount.optional(),
});

/** Agent 5 §Guardrails */
export const guardrails = z.object({
  Input: guardrailSide.optional(),
  Output: guardrailSide.optional(),
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
