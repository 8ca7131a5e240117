import { isDeepStrictEqual } from 'node:util';

/** One of several implementations of the same work. Returns the result, so that the results can be compared. */
export type Contender = () => Promise<unknown>;

export interface ContestOptions {
  /** Unmeasured runs of each contender before the first sample. */
  readonly warmUp: number;
  /** Runs of each contender in a sample. */
  readonly runs: number;
}

/**
 * Samples the ratio of two run times. Both contenders do the same work the same number of times, with the same warm-up. They take
 * turns, and each is first in every other sample.
 *
 * @throws Error when the results differ
 */
export async function contest(
  ours: Contender,
  theirs: Contender,
  { warmUp, runs }: ContestOptions,
): Promise<() => Promise<number>> {
  const [one, other] = [await ours(), await theirs()];
  if (!isDeepStrictEqual(one, other)) {
    const [here, there] = [one, other].map((result) => JSON.stringify(result)?.slice(0, 500));
    throw new Error(`The contenders do not do the same work: ${here} and ${there}.`);
  }
  await timeOfEach(ours, warmUp);
  await timeOfEach(theirs, warmUp);
  let oursFirst = false;
  return async () => {
    oursFirst = !oursFirst;
    if (oursFirst) return (await timeOfEach(ours, runs)) / (await timeOfEach(theirs, runs));
    const their = await timeOfEach(theirs, runs);
    return (await timeOfEach(ours, runs)) / their;
  };
}

/** Returns the mean time of a run in milliseconds, over sequential runs. */
export async function timeOfEach(run: Contender, runs: number): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < runs; count += 1) await run();
  return (performance.now() - start) / runs;
}
