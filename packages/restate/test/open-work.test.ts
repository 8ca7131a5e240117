import { expect, test } from 'vitest';
import { OpenWork } from '../src/work/port-caller.ts';

/** What is asked when work begins at the time 100,000, in a process that has started at 0. */
async function askedFor(order: { at: number; hasPlace: boolean }): Promise<readonly string[]> {
  const asked: string[] = [];
  let now = 0;
  const openWork = new OpenWork({
    ask: async (_, letter) => {
      asked.push(letter);
      return true;
    },
    now: () => now,
  });
  now = 100_000;
  const { at, hasPlace } = order;
  const arrival = { receivedAt: performance.now(), hasPlace };
  expect(await openWork.isOpen('a', { letter: 'call', at }, arrival)).toBe(true);
  return asked;
}

test('an instance is not asked for work that had a place, however long Restate took to give it', async () => {
  expect(await askedFor({ at: 95_000, hasPlace: true })).toEqual([]);
});

test('an instance is asked for work that had to wait for a place', async () => {
  expect(await askedFor({ at: 100_000, hasPlace: false })).toEqual(['call']);
});

test('an instance is asked for work that was given long ago, or before the process has started', async () => {
  expect(await askedFor({ at: 30_000, hasPlace: true })).toEqual(['call']);
  expect(await askedFor({ at: -1, hasPlace: true })).toEqual(['call']);
});
