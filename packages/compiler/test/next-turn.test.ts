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
    get now() {
      return now;
    },
  };
}

test('a turn of the event loop is shared by all work that is cut, in the order in which it waits', async () => {
  const clock = clockOfWork();
  const done: string[] = [];
  const pieces = async (name: string) => {
    for (let piece = 1; piece <= 4; piece += 1) {
      await nextTurn();
      clock.work(8);
      done.push(`${name}${piece}`);
    }
  };
  const turns: number[] = [];
  let [before, isOver] = [0, false];
  const watch = () => {
    turns.push(clock.now - before);
    before = clock.now;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await Promise.all(['a', 'b', 'c', 'd'].map(pieces));
  isOver = true;
  expect(Math.max(...turns)).toBe(16);
  expect(done).toEqual(
    [1, 2, 3, 4].flatMap((piece) => ['a', 'b', 'c', 'd'].map((name) => name + piece)),
  );
});

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
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  void nextTurn();
  isTurnLong();
  clock.work(20);
  vi.useRealTimers();
  await nextTurn();
  expect(isTurnLong()).toBe(false);
});
