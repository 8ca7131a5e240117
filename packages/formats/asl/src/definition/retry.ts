import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod';
import {
  agentOnly,
  block,
  constant,
  isWhole,
  jsonataOnly,
  pathOnly,
  positiveCount,
  text,
} from './field.ts';

const count = constant('a whole number, 0 or more', (value) => isWhole(value, 0));

/** Spec: Agent 8 §Retry, Amazon #errors */
export const retrier = z.object({
  Comment: text.optional(),
  /** The names of the errors after which to try again. Agent 8, Amazon #retrying-after-error */
  ErrorEquals: z.array(text),
  /** Before the first retry; 1 when left out. Agent 8, Amazon #retrying-after-error */
  IntervalSeconds: count.optional(),
  /** Retries, not calls; 3 when left out. Agent 8, Amazon #retrying-after-error */
  MaxAttempts: count.optional(),
  /** The factor by which delays grow; 2 when left out. Agent 8, Amazon #retrying-after-error */
  BackoffRate: constant('a number, 1 or more', (rate) => rate >= 1).optional(),
  /** The longest delay: less than a leap year. Agent 8, Amazon #retrying-after-error, AWS "Handling errors" */
  MaxDelaySeconds: constant(
    'a whole number of seconds from 1 to 31,622,399',
    (value) => isWhole(value, 1) && value < 366 * 24 * 3600,
  ).optional(),
  /** `MaxDelaySeconds` in tutorial 11. */
  MaxIntervalSeconds: agentOnly(positiveCount),
  /** `NONE` when left out. Agent 8 adds `DECORRELATED` to Amazon's two. Amazon #retrying-after-error */
  JitterStrategy: text.optional(),
});

/** Spec: Agent 8 §Catch, Amazon #fallback-states */
export const catcher = z.object({
  Comment: text.optional(),
  /** The names of the errors that are caught. Agent 8, Amazon #fallback-states */
  ErrorEquals: z.array(text),
  /** The state that deals with the error. Agent 8, Amazon #fallback-states */
  Next: text,
  /** Where the error goes in the state's input. Agent 8, Amazon #fallback-states */
  ResultPath: pathOnly(text.nullable()),
  /** The output that goes to `Next`. Amazon #fallback-states */
  Output: jsonataOnly(z.unknown()),
  /** Amazon #variables */
  Assign: block.optional(),
});

export const retryAndCatch = {
  /** When to try again. Agent 2 §Task State, Amazon #retrying-after-error */
  Retry: z.array(retrier).optional(),
  /** Where errors lead. Agent 2 §Task State, Amazon #fallback-states */
  Catch: z.array(catcher).optional(),
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
