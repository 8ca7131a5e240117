import type { Json } from '@dramaturg/compiler';
import { isLarger } from '../data/size.ts';
import { StatesError } from '../data/states-error.ts';
import type { Dialect } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Variables } from './run.ts';

/**
 * Refuses data that are too large to be carried from state to state. Spec: AWS "Quotas", state data
 *
 * @throws StatesError States.DataLimitExceeded
 */
export function withinLimit(value: Json, dialect: Dialect, state: string): void {
  if (isLarger(value, dialects[dialect].dataLimit)) {
    throw exceeded(
      `The state/task '${state}' returned a result with a size exceeding the maximum number of bytes service limit.`,
    );
  }
}

/**
 * Refuses what a state assigns when it is too large, or all variables have become so. Spec: AWS "Passing data between
 * states with variables", limits
 *
 * @throws StatesError States.DataLimitExceeded
 */
export function withinVariableLimits(
  assigned: Variables,
  variables: Variables,
  dialect: Dialect,
  state: string,
): void {
  const { dataLimit, variablesLimit } = dialects[dialect];
  if (isLarger(assigned, dataLimit)) {
    throw exceeded(`The state '${state}' assigns variables of more than ${dataLimit} bytes.`);
  }
  // Each has been within its own limit: a few of them need not be looked at again.
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
