import type { World } from '@dramaturg/compiler/machine';
import { hashOf, SeededRandom } from '../intrinsic/numbers.ts';
import type { JsonataScope } from './evaluating.ts';

const draws = /\$(?:random|uuid|shuffle)\b/;

/**
 * The one value from which all random values of an evaluation follow, so that a step records one value, and a thread draws
 * what the step would draw. Undefined for an expression without random values.
 */
export function drawnSeed(source: string, world: World): string | undefined {
  return draws.test(source) ? world.uuid() : undefined;
}

export function withSeed(scope: JsonataScope, seed: string): JsonataScope {
  const { now, apart } = scope.world;
  return { ...scope, world: { ...seededWorld(seed, now), ...(apart && { apart }) } };
}

/** The random values of one evaluation, and its time in milliseconds since 1970 UTC. */
export function seededWorld(seed: string, now: () => number): World {
  const hashed = (what: number | string) => hashOf(`${seed} ${what}`, 'SHA-256', '$uuid');
  let [numbers, uuids]: [SeededRandom | undefined, number] = [undefined, 0];
  return {
    now,
    random: () =>
      (numbers ??= new SeededRandom(parseInt(hashed('random').slice(0, 12), 16))).next(),
    uuid: () => {
      uuids += 1;
      const digits = hashed(uuids);
      const variant = '89ab'[parseInt(digits[16]!, 16) % 4]!;
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        `4${digits.slice(13, 16)}`,
        variant + digits.slice(17, 20),
        digits.slice(20, 32),
      ].join('-');
    },
  };
}
