import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import {
  optional,
  required,
  agentOnly,
  atLeast0,
  block,
  constant,
  jsonataOnly,
  pathOnly,
  positiveCount,
  text,
} from './field.ts';

const count = constant('a whole number, 0 or more', atLeast0);

/** Spec: Agent 8 §Retry, Amazon #errors */
export const retrier = z.object({
  Comment: optional(text, 'What people should know of the entry.'),
  /** Agent 8, Amazon #retrying-after-error */
  ErrorEquals: required(z.array(text), 'The names of the errors after which to try again.'),
  /** Agent 8, Amazon #retrying-after-error */
  IntervalSeconds: optional(count, 'Before the first retry; 1 when left out.'),
  /** Agent 8, Amazon #retrying-after-error */
  MaxAttempts: optional(count, 'Retries, not calls; 3 when left out.'),
  /** Agent 8, Amazon #retrying-after-error */
  BackoffRate: optional(
    constant('a number, 1 or more', { type: 'number', minimum: 1 }),
    'The factor by which delays grow; 2 when left out.',
  ),
  /** Agent 8, Amazon #retrying-after-error, AWS "Handling errors" */
  MaxDelaySeconds: optional(
    constant('a whole number of seconds from 1 to 31,622,399', {
      type: 'integer',
      minimum: 1,
      maximum: 366 * 24 * 3600 - 1,
    }),
    'The longest delay: less than a leap year.',
  ),
  MaxIntervalSeconds: agentOnly(positiveCount, '`MaxDelaySeconds` in tutorial 11.'),
  /** Agent 8 adds `DECORRELATED` to Amazon's two. Amazon #retrying-after-error */
  JitterStrategy: optional(text, '`NONE` when left out.'),
});

/** Spec: Agent 8 §Catch, Amazon #fallback-states */
export const catcher = z.object({
  Comment: optional(text, 'What people should know of the entry.'),
  /** Agent 8, Amazon #fallback-states */
  ErrorEquals: required(z.array(text), 'The names of the errors that are caught.'),
  /** Agent 8, Amazon #fallback-states */
  Next: required(text, 'The state that deals with the error.'),
  /** Agent 8, Amazon #fallback-states */
  ResultPath: pathOnly(z.nullable(text), "Where the error goes in the state's input."),
  /** Amazon #fallback-states */
  Output: jsonataOnly(z.unknown(), 'The output that goes to `Next`.'),
  /** Amazon #variables */
  Assign: optional(block, 'Variables to set, for states that come later.'),
});

export const retryAndCatch = {
  /** Agent 2 §Task State, Amazon #retrying-after-error */
  Retry: optional(z.array(retrier), 'When to try again.'),
  /** Agent 2 §Task State, Amazon #fallback-states */
  Catch: optional(z.array(catcher), 'Where errors lead.'),
};

export type JitterStrategy = 'NONE' | 'FULL' | 'DECORRELATED';

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds: number;
  readonly MaxAttempts: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds: number | undefined;
  readonly JitterStrategy: JitterStrategy;
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  /** Null discards the error. The default is `$` in Amazon's dialect, and `$.error` in agents' workflows. */
  readonly ResultPath: string | null;
  readonly Output: Json | undefined;
  readonly Assign: JsonObject | undefined;
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

export interface HasRecovery {
  readonly Retry: readonly Retrier[];
  readonly Catch: readonly Catcher[];
}
