import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { contest } from '../src/contest.ts';

test('both contenders do the same work equally often, and each goes first in every other sample', async () => {
  const order: string[] = [];
  const contender = (name: string) => async () => {
    order.push(name);
    return 'done';
  };
  const sample = await contest(contender('a'), contender('b'), { warmUp: 2, runs: 3 });
  expect(order.splice(0).join('')).toBe('abaabb');
  await sample();
  await sample();
  expect(order.join('')).toBe('aaabbbbbbaaa');
});

test('a sample is the ratio of the first time to the second', async () => {
  const taking = (milliseconds: number) => async () => {
    await pause(milliseconds);
    return 'done';
  };
  const sample = await contest(taking(40), taking(10), { warmUp: 0, runs: 2 });
  for (const ratio of [await sample(), await sample()]) {
    expect(ratio).toBeGreaterThan(1.5);
    expect(ratio).toBeLessThan(10);
  }
});

test('contenders with different results are not compared', async () => {
  await expect(
    contest(
      async () => ({ total: 90 }),
      async () => ({ total: 100 }),
      { warmUp: 1, runs: 1 },
    ),
  ).rejects.toThrow('The contenders do not do the same work: {"total":90} and {"total":100}.');
});
