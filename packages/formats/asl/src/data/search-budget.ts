import { DramaturgError } from '@dramaturg/compiler';

/**
 * The steps that the searches of one value may take, each up to 13 ns. Steps are counted and not timed, so that the same
 * value has the same result every time.
 */
export class SearchBudget {
  stepsLeft = 3_200_000;
}

/** Thrown through the engine of patterns, out of a search that has read too much. */
export class TooManyReadsError extends DramaturgError<'asl/too-many-reads'> {
  override readonly name = 'TooManyReadsError';

  constructor() {
    super('asl/too-many-reads', 'A search has read too much.');
  }
}
