import { StatesError } from '../data/states-error.ts';
import type { Dialect } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import type { Failure } from './run.ts';

/** The failure that an expression has thrown. Any error but a `StatesError` is a bug of ours and is thrown again. */
export function failureFrom(thrown: unknown, dialect: Dialect): Failure {
  if (!(thrown instanceof StatesError)) throw thrown;
  const isReserved = dialects[dialect].reservedErrors.includes(thrown.error);
  return { error: isReserved ? 'States.Runtime' : thrown.error, cause: thrown.message };
}
