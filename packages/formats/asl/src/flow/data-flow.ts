import type { Json } from '@dramaturg/compiler';
import { isLarger } from '../data/size.ts';
import { StatesError } from '../data/states-error.ts';
import type { Dialect } from '../definition/machine.ts';
import { dialects } from '../dialect.ts';
import type { Failure, Outcome, Run, Variables } from './run.ts';

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

/** The failure that an expression has thrown. Any error but a `StatesError` is a bug of ours and is thrown again. */
export function failureFrom(thrown: unknown, dialect: Dialect): Failure {
  if (!(thrown instanceof StatesError)) throw thrown;
  const isReserved = dialects[dialect].reservedErrors.includes(thrown.error);
  return { error: isReserved ? 'States.Runtime' : thrown.error, cause: thrown.message };
}

/**
 * Rejects data over the limit between two states. Spec: AWS "Quotas", state data
 *
 * @throws StatesError States.DataLimitExceeded
 */
export function checkDataLimit(value: Json, dialect: Dialect, state: string): void {
  if (isLarger(value, dialects[dialect].dataLimit)) {
    throw exceeded(
      `The state/task '${state}' returned a result with a size exceeding the maximum number of bytes service limit.`,
    );
  }
}

/**
 * Rejects an assignment over the limit, and variables that are too large together. Spec: AWS "Passing data between
 * states with variables", limits
 *
 * @throws StatesError States.DataLimitExceeded
 */
export function checkVariableLimits(
  assigned: Variables,
  variables: Variables,
  dialect: Dialect,
  state: string,
): void {
  const { dataLimit, variablesLimit } = dialects[dialect];
  if (isLarger(assigned, dataLimit)) {
    throw exceeded(`The state '${state}' assigns variables of more than ${dataLimit} bytes.`);
  }
  // Fast path: each variable was within the data limit, so a few of them cannot exceed the limit of all.
  const most = Object.keys(variables).length * dataLimit;
  if (most > variablesLimit && isLarger(variables, variablesLimit)) {
    throw exceeded(
      `With those of '${state}' the variables have more than ${variablesLimit} bytes.`,
    );
  }
}

function exceeded(because: string): StatesError {
  return new StatesError('States.DataLimitExceeded', because);
}
