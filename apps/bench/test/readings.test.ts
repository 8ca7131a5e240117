import { expect, test } from 'vitest';
import { measure, readingsOf } from '../src/measure.ts';

test('benchmarks of one measurement share its samples', async () => {
  let prepared = 0;
  let sampled = 0;
  const benchmarks = readingsOf(
    async () => {
      prepared += 1;
      return async () => {
        sampled += 1;
        return { one: sampled, other: 10 * sampled };
      };
    },
    {
      one: ['one', 'ms', 1],
      other: ['other', 'ms', 20],
    },
    { rounds: 3 },
  );
  const rows = await measure(benchmarks, () => {});
  expect([prepared, sampled]).toEqual([1, 3]);
  expect(rows.map(({ name, value, holds }) => ({ name, value, holds }))).toEqual([
    { name: 'one', value: 2, holds: false },
    { name: 'other', value: 20, holds: true },
  ]);
});

test('a benchmark is sampled in as many rounds as it requests', async () => {
  const counts = [0, 0];
  const counting = (index: number, rounds?: number) => ({
    name: String(index),
    unit: '',
    ...(rounds === undefined ? {} : { rounds }),
    prepare: async () => () => (counts[index]! += 1),
  });
  await measure([counting(0, 2), counting(1)], () => {});
  expect(counts).toEqual([2, 15]);
});
