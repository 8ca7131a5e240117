import { DramaturgError } from '@dramaturg/compiler';

/** Restate could not answer a query (status 500 and above). The same one may be answered later. */
export class RestateFailedError extends DramaturgError<'restate/failed'> {
  override readonly name = 'RestateFailedError';

  constructor(message: string) {
    super('restate/failed', message);
  }
}
