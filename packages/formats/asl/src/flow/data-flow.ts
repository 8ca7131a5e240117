import type { Json } from '@dramaturg/compiler';
import type { Failure, Outcome, Run } from './run.ts';

/**
 * How data pass through a state, in one of the two query languages. Each function evaluates fields of the state against
 * what it is given, and throws a `StatesError` when one of them has no value.
 */
export interface DataFlow {
  /** What the state works on, before `Parameters` or `Arguments`. */
  readonly select: (run: Run) => Json;
  /** The input of the state's work, from what `select` gave. */
  readonly prepare: (run: Run, selected: Json) => Json;
  /** What the state hands on, once its work has a result; with how an agent came to it, when that is to be stored. */
  readonly finish: (run: Run, result: Json, reasoning?: Json) => Outcome;
  /** What the state hands on when it has nothing of its own to add: Choice, Wait, Succeed. */
  readonly pass: (run: Run) => Outcome;
  /** What the rule of a Choice hands on; undefined is the `Default`. */
  readonly chosen: (run: Run, rule: number | undefined) => Outcome;
  /** What the catcher of an error hands on. */
  readonly caught: (run: Run, catcher: number, failure: Failure) => Outcome;
}

/** An error as definitions see it. Agent 8 §Catch, Amazon #error-output */
export function errorOutput({ error, cause }: Failure): Json {
  return { Error: error, Cause: cause };
}
