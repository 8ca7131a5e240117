import { expect, test } from 'vitest';
import { type PersistentList, valuesOf, withValue } from '../src/link/persistent-list.ts';

test.each([0, 1, 31, 32, 33, 1023, 1024, 1025, 40_000])(
  'a list of %i values has them in the order in which they were added',
  (length) => {
    const values = Array.from({ length }, (_, index) => [index]);
    let list: PersistentList<readonly number[]> = [];
    for (const value of values) list = withValue(list, value);
    expect([...valuesOf(list)]).toEqual(values);
    expect([...valuesOf(JSON.parse(JSON.stringify(list)) as typeof list)]).toEqual(values);
    expect(list.every((level) => level.length < 32)).toBe(true);
  },
);

test('a list with another value leaves the list before it as it was', () => {
  let list: PersistentList<number> = [];
  for (let value = 0; value < 1023; value += 1) list = withValue(list, value);
  const before = JSON.stringify(list);
  withValue(withValue(list, 1), 2);
  expect(JSON.stringify(list)).toBe(before);
});
