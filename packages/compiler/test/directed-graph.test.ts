import { expect, test } from 'vitest';
import { loopsOf, reachableFrom } from '../src/entries/chart.ts';

const edges: Record<string, string[]> = {
  a: ['b'],
  b: ['c', 'd'],
  c: ['a'],
  d: ['d', 'e'],
  e: [],
  f: ['a'],
};
const next = (name: string) => edges[name] ?? [];

test('what can be reached includes where it starts', () => {
  expect([...reachableFrom(['d'], next)]).toEqual(['d', 'e']);
  expect([...reachableFrom(['f'], next)].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('a loop is a group that leads back into itself, in the order of the given names', () => {
  expect(loopsOf(['c', 'b', 'a', 'd', 'e', 'f'], next)).toEqual([['d'], ['c', 'b', 'a']]);
});

test('a chain longer than the call stack is no trouble', () => {
  const names = Array.from({ length: 200_000 }, (_, index) => String(index));
  const around = (name: string) => [String((Number(name) + 1) % names.length)];
  expect(loopsOf(names, around)).toEqual([names]);
});
