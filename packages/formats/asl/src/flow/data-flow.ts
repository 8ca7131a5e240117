import type { Json } from '@dramaturg/compiler';
import type { Dialect } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Failure, Outcome, Run } from './run.ts';

/**
 * The data flow through a state, in one of the two query languages. Each function evaluates fields of the state, and
 * throws a `StatesError` when one of them has no value.
 */
export interface DataFlow {
  /** The data before `Parameters` or `Arguments`. */
  readonly select: (run: Run) => Json;
  /** The input of the state's work, from the result of `select`. */
  readonly prepare: (run: Run, selected: Json) => Json;
  /** The outcome once the work has a result; `reasoning` only when it is to be stored. */
  readonly finish: (run: Run, result: Json, reasoning?: Json) => Outcome;
  /** The outcome of a state without a result: Choice, Wait, Succeed. */
  readonly pass: (run: Run) => Outcome;
  /** The outcome of a rule of a Choice; undefined is the `Default`. */
  readonly chosen: (run: Run, rule: number | undefined) => Outcome;
  /** The outcome of a catcher. */
  readonly caught: (run: Run, catcher: number, failure: Failure) => Outcome;
}

/** An error as expressions see it. Agent 8 §Catch, Amazon #error-output */
export function errorOutput({ error, cause }: Failure, dialect: Dialect): Json {
  const missing = error === 'States.Timeout' ? dialects[dialect].timeoutCause : null;
  return { Error: error, Cause: cause ?? missing };
}
