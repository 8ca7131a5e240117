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

/**
 * Compiles a search for the first occurrence of a string, from a position. Takes time in proportion to the sum of the
 * two lengths (Knuth, Morris and Pratt); `indexOf` can take their product.
 *
 * @returns a function that returns the position, or -1
 */
export function compileSearch(wanted: string): (text: string, from: number) => number {
  // For each prefix, the longest shorter prefix that is also its end.
  const borders = new Uint32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = borders[matched - 1]!;
    if (wanted[at] === wanted[matched]) matched += 1;
    borders[at] = matched;
  }
  return (text, from) => {
    if (wanted === '') return from;
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      while (matched > 0 && text[at] !== wanted[matched]) matched = borders[matched - 1]!;
      if (text[at] === wanted[matched]) matched += 1;
      if (matched === wanted.length) return at - matched + 1;
    }
    return -1;
  };
}
