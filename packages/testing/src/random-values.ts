import type { Chance } from './chance.ts';

/** Names that are something else to an object, to a snapshot, or to a line of a journal. */
const names = [
  'a',
  'b',
  'items',
  'places',
  'repeats',
  'value',
  '__proto__',
  'constructor',
  '0',
  '',
];

/** A value of JSON, small or large, deep or flat. */
export function randomValue(chance: Chance, depth: number): unknown {
  const kind = chance.next();
  if (depth === 0 || kind < 0.2)
    return chance.of([null, true, chance.between(-9, 9), 'x'.repeat(chance.between(0, 40))]);
  if (kind < 0.3) return `${chance.next()} `.repeat(chance.between(1, 200));
  if (kind < 0.32) return 'y'.repeat(70_000);
  if (kind < 0.4) return Array.from({ length: chance.between(1, 300) }, (_, index) => index);
  const count = chance.between(0, 5);
  const members = Array.from({ length: count }, () => randomValue(chance, depth - 1));
  if (kind < 0.65) return members;
  return Object.fromEntries(members.map((member) => [chance.of(names), member]));
}

/** A copy with another value in one place. What is not on the way to it stays the same object. */
export function withRandomChange(chance: Chance, whole: object): object {
  const keys = Object.keys(whole);
  const key = chance.of(keys.length > 0 ? keys : ['a']);
  const members = new Map(Object.entries(whole));
  const member = members.get(key) as unknown;
  const isDeep = typeof member === 'object' && member !== null && chance.next() < 0.8;
  const others = [...members.values()] as unknown[];
  const changed = isDeep
    ? withRandomChange(chance, member)
    : chance.next() < 0.3
      ? chance.of(others)
      : randomValue(chance, 3);
  members.set(key, changed);
  return Array.isArray(whole) ? [...members.values()] : Object.fromEntries(members);
}
