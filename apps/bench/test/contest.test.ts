import { expect, onTestFinished, test, vi } from 'vitest';
import { contest } from '../src/measure.ts';

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
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const taking = (milliseconds: number) => async () => {
    vi.advanceTimersByTime(milliseconds);
    return 'done';
  };
  const sample = await contest(taking(40), taking(10), { warmUp: 0, runs: 2 });
  expect([await sample(), await sample()]).toEqual([4, 4]);
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
