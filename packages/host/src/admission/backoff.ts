const firstPauseMs = 1_000;
const pauseMaxMs = 60_000;

/**
 * Exponential backoff with jitter: the pause after a number of failures, from a second up to a minute, in milliseconds.
 *
 * @param failures how often it has failed, from 1
 * @param random returns a number from 0 up to, not including, 1
 */
export function backoff(failures: number, random: () => number): number {
  const pause = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), pauseMaxMs);
  return pause * (0.5 + random() / 2);
}
