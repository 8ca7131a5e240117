import type { StatesErrorName } from '../data/states-error.ts';
import { limitReached } from '../flow/retry.ts';
import type { Failure } from '../flow/run.ts';
import { failureOf } from './failure.ts';

/**
 * A failed call of S3 as the failure of its Map. The cause begins with the error of S3, such as
 * `S3.NoSuchKeyException`. Spec: AWS "Handling errors", States.ItemReaderFailed and States.ResultWriterFailed
 */
export function storageFailure(name: StatesErrorName, thrown: unknown): Failure {
  const failure = failureOf(thrown);
  const { error, cause } = failure;
  if (error === limitReached || error === 'States.Timeout') return failure;
  const isNamed = error !== null && error !== name && !error.startsWith('States.');
  return { error: name, cause: isNamed ? `${error}: ${cause ?? ''}` : cause };
}
