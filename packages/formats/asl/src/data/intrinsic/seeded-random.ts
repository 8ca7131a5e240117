/**
 * A number from 0 to 1 that depends only on the seed: the first number of the generator mulberry32. AWS documents only
 * that the same seed gives the same number.
 */
export function seededRandom(seed: number): number {
  let state = (seed + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}
