import type { Json } from '@dramaturg/compiler';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { dialects } from '../../dialect.ts';
import {
  failed,
  type Intrinsic,
  intrinsic,
  jsonOf,
  requireInteger,
  requireNumber,
  requireText,
} from './function.ts';

/** The generator of `java.util.Random`, which AWS seeds: `$random(42)` is 0.7275636800328681 there. */
export class SeededRandom {
  #state: bigint;

  constructor(seed: number) {
    this.#state = (BigInt(Math.trunc(seed)) ^ multiplier) & mask;
  }

  /** A number from 0 up to, but not including, 1. */
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

export const mathAdd = arithmetic('States.MathAdd', (one, other) => one + other);
export const mathSubtract = arithmetic('States.MathSubtract', (one, other) => one - other);
export const mathMultiply = arithmetic('States.MathMultiply', (one, other) => one * other);

/** Where a path to nothing is null, null counts as 0, as in the engine of the language: counters may begin unset. */
function arithmetic(name: string, compute: (one: number, other: number) => number): Intrinsic {
  return intrinsic([2, 2], ['number'], 'number', ([one, other], { dialect, missing }) => {
    const isWhole = dialects[dialect].mathIsWhole && name === 'States.MathAdd';
    const read = isWhole ? requireInteger : requireNumber;
    const number = (value: Json | undefined) =>
      value === null && missing === 'null' ? 0 : read(value, name);
    return finite(compute(number(one), number(other)), name);
  });
}

function finite(value: number, name: string): number {
  if (Number.isFinite(value)) return value;
  throw failed(`${name}: the result is too large for a number.`);
}

/** An integer from the first number up to, but not including, the second; without bounds a number from 0 to 1. */
export const mathRandom = intrinsic([0, 3], ['number'], 'number', ([from, to, seed], { world }) => {
  if (from === undefined || to === undefined) return world.random();
  const [least, end] = [
    requireInteger(from, 'States.MathRandom'),
    requireInteger(to, 'States.MathRandom'),
  ];
  if (end <= least) throw failed('States.MathRandom: the end is not above the start.');
  const random =
    seed === undefined
      ? world.random()
      : new SeededRandom(requireInteger(seed, 'States.MathRandom')).next();
  return least + Math.floor(random * (end - least));
});

const algorithms: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  MD5: md5,
  'SHA-1': sha1,
  'SHA-256': sha256,
  'SHA-384': sha384,
  'SHA-512': sha512,
};

/** Amazon hashes 10,000 characters at most. AWS "Intrinsic functions" */
const longestHashed = 10_000;

/** The hash of a string in hexadecimal digits. @param caller the function, for messages */
export function hashOf(text: string, algorithm: string, caller: string): string {
  const name = Object.hasOwn(algorithms, algorithm) ? algorithm : undefined;
  if (name === undefined) {
    const known = Object.keys(algorithms).join(', ');
    throw failed(`${caller}: there is no algorithm "${algorithm.slice(0, 50)}", but ${known}.`);
  }
  return bytesToHex(algorithms[name]!(new TextEncoder().encode(text)));
}

export const hashFunction = intrinsic([2, 2], ['any', 'text'], 'text', ([value, algorithm]) => {
  const text = typeof value === 'string' ? value : jsonOf(value!, 'States.Hash');
  if (text.length > longestHashed) {
    throw failed(`States.Hash takes ${longestHashed} characters at most, not ${text.length}.`);
  }
  return hashOf(text, requireText(algorithm, 'States.Hash'), 'States.Hash');
});
