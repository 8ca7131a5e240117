import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactly, mismatch } from '../src/layouts/amazon-states/compare.ts';

const withWildcards = (...wildcards: string[]) => ({ ...exactly, wildcards });

test('equal values with another order of keys do not differ', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = JSON.parse(JSON.stringify(value)) as never;
      return (
        mismatch('output', copy, JSON.parse(JSON.stringify(value)) as never, exactly) === undefined
      );
    }),
  );
  expect(mismatch('output', { a: 1, b: [2] }, { b: [2], a: 1 }, exactly)).toBeUndefined();
});

test('a difference is reported with its path', () => {
  expect(
    mismatch('output', { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: '2' }] }, exactly),
  ).toEqual({ expected: 'output.a[1].b: 2', actual: 'output.a[1].b: "2"' });
  expect(mismatch('output', [1, 2], [1], exactly)).toEqual({
    expected: 'output[1]: 2',
    actual: 'output[1]: nothing',
  });
  expect(mismatch('output', {}, { extra: null }, exactly)).toEqual({
    expected: 'output.extra: nothing',
    actual: 'output.extra: null',
  });
  expect(mismatch('output', [], {}, exactly)).toEqual({
    expected: 'output: []',
    actual: 'output: {}',
  });
});

test('keys that every object inherits are plain data', () => {
  const expected = JSON.parse('{ "constructor": 1, "__proto__": 2 }') as never;
  expect(mismatch('output', expected, {}, exactly)).toEqual({
    expected: 'output.constructor: 1',
    actual: 'output.constructor: nothing',
  });
  expect(mismatch('output', {}, expected, exactly)).toBeDefined();
  expect(mismatch('output', expected, expected, exactly)).toBeUndefined();
});

test.each<[wildcards: string[], expected: string, actual: unknown, same: boolean]>([
  [['date'], 'date', '2024-01-01', true],
  [['date'], 'date', 17, true],
  [['date'], 'date', { any: 'thing' }, true],
  [['date'], 'on date', 'on Monday', true],
  [['date'], 'on date', 'at noon', false],
  [['date'], 'on date', 17, false],
  [['date'], 'dat', '2024', false],
  [['<a>', '<b>'], 'x:<a>:y:<b>', 'x:1:y:2', true],
  [['<a>', '<b>'], 'x:<a>:y:<b>', 'x:1:z:2', false],
  [['<a>'], '<a>-<a>', '1-2', true],
  [['<a>'], '<a>-<a>', '-', true],
  [['<a>'], '<a>-<a>', '12', false],
  // The start and the end must not overlap.
  [['<a>'], 'ab<a>ba', 'aba', false],
  [['<a>'], '<a>aa<a>a', 'aa', false],
  [[], 'date', '2024', false],
  [[''], 'date', '2024', false],
])('with the wildcards %j, %j takes %j: %s', (wildcards, expected, actual, same) => {
  const found = mismatch('output', expected, actual as never, withWildcards(...wildcards));
  expect(found === undefined).toBe(same);
});

test('a wildcard does not match a missing value', () => {
  expect(mismatch('output', { at: 'date' }, {}, withWildcards('date'))).toEqual({
    expected: 'output.at: "date"',
    actual: 'output.at: nothing',
  });
});

test('many wildcards are matched in finite time', () => {
  const expected = `${'<a>x'.repeat(2000)}!`;
  expect(mismatch('output', expected, 'x'.repeat(20_000), withWildcards('<a>'))).toBeDefined();
});

test('a value that the run generated matches a value that AWS generated', () => {
  const leeway = { wildcards: [], isMadeUp: (value: unknown) => value === 'id-7' };
  expect(mismatch('output', ['an id'], ['id-7'], leeway)).toBeUndefined();
  expect(mismatch('output', [null], ['id-7'], leeway)).toBeUndefined();
  expect(mismatch('output', ['an id'], ['id-8'], leeway)).toBeDefined();
  expect(mismatch('output', [{ an: 'id' }], ['id-7'], leeway)).toBeDefined();
});
