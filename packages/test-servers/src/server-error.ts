import { DramaturgError } from '@dramaturg/compiler';

/** A server is not installed, or did not start. */
export class ServerError extends DramaturgError<'server/missing' | 'server/failed'> {
  override readonly name = 'ServerError';
}
