/** The generator of `java.util.Random`, which AWS seeds: `$random(42)` is 0.7275636800328681 there. */
export class SeededRandom {
  #state: bigint;

  constructor(seed: number) {
    this.#state = (BigInt(Math.trunc(seed)) ^ multiplier) & mask;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    const high = this.#bits(26n);
    return (high * 2 ** 27 + this.#bits(27n)) / 2 ** 53;
  }

  #bits(count: bigint): number {
    this.#state = (this.#state * multiplier + 0xbn) & mask;
    return Number(this.#state >> (48n - count));
  }
}

const multiplier = 0x5deece66dn;
const mask = (1n << 48n) - 1n;
