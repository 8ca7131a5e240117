import { DramaturgError } from '@dramaturg/compiler';

// Apart from the engine of patterns, which only some workflows load.
/** Thrown through the engine of patterns, out of a search that has read too much. */
export class TooManyReadsError extends DramaturgError<'asl/too-many-reads'> {
  override readonly name = 'TooManyReadsError';

  constructor() {
    super('asl/too-many-reads', 'A search has read too much.');
  }
}
