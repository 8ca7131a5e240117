import type { Json } from '@dramaturg/compiler';
import { isLarger } from '../data/size.ts';
import { StatesError } from '../data/states-error.ts';
import type { Dialect } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Variables } from './run.ts';

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
