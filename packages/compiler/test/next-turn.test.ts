import { afterEach, expect, test, vi } from 'vitest';
import { isTurnLong, nextTurn } from '../src/next-turn.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A clock that only work moves. */
function clockOfWork() {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return {
    work: (milliseconds: number) => (now += milliseconds),
  };
}

test('a turn is long after some milliseconds of work, until the next one', async () => {
  const clock = clockOfWork();
  await nextTurn();
  expect(isTurnLong()).toBe(false);
  clock.work(9);
  expect(isTurnLong()).toBe(false);
  clock.work(1);
  expect(isTurnLong()).toBe(true);
  await nextTurn();
  expect(isTurnLong()).toBe(false);
});

test('work that another set of timers has delayed does not keep later work waiting', async () => {
  const clock = clockOfWork();
  // The turn of an earlier test ends.
  await nextTurn();
  await nextTurn();
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  void nextTurn();
  isTurnLong();
  clock.work(20);
  vi.useRealTimers();
  await nextTurn();
  expect(isTurnLong()).toBe(false);
});
