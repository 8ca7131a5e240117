import type { DefinitionPart } from './definition-part.ts';

type Pairs = readonly (readonly [before: DefinitionPart, after: DefinitionPart])[];

/**
 * The parts of a new list that have another position in it: the fewest without which the others are in the old order.
 *
 * @param pairs the parts that both lists have, in the order of the new list
 */
export function movedIn(
  pairs: Pairs,
  before: readonly DefinitionPart[],
): ReadonlySet<DefinitionPart> {
  const order = pairs[0]?.[1].kind?.order;
  if (order === undefined || order === 'free') return new Set();
  if (order === 'matters') return new Set(movedAmong(pairs, before));
  const names = new Set(pairs.map(([, { name }]) => name));
  if (names.size === pairs.length) return new Set();
  return new Set(
    [...names].flatMap((name) =>
      movedAmong(
        pairs.filter(([, other]) => other.name === name),
        before,
      ),
    ),
  );
}

function movedAmong(pairs: Pairs, before: readonly DefinitionPart[]): readonly DefinitionPart[] {
  const positions = new Map(before.map((part, index) => [part, index]));
  const kept = longestIncreasing(pairs.map(([one]) => positions.get(one)!));
  return pairs.flatMap(([, other], index) => (kept.has(index) ? [] : [other]));
}

/** The indexes of a longest increasing subsequence of distinct numbers, in O(n log n). */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** The index of the smallest last number of a sequence, by the length of the sequence minus 1. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1];
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) kept.add(at);
  return kept;
}
