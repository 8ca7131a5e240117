import { afterEach, expect, test, vi } from 'vitest';
import { realClock } from '../src/index.ts';

const { timer, world } = realClock();

function call(signal = new AbortController().signal) {
  return { signal, onText: () => {} };
}

afterEach(() => {
  vi.useRealTimers();
});

test('a timer fires at its time and not before', async () => {
  const at = world.now() + 40;
  const { firedAt } = await timer({ key: 'a/1', at }, call());
  expect(firedAt).toBeGreaterThanOrEqual(at);
});

test('a time that has passed fires at once', async () => {
  const { firedAt } = await timer({ key: 'a/1', at: 0 }, call());
  expect(firedAt).toBeGreaterThan(Date.UTC(2020));
});

test('the stopwatch does not notice that the time of day is set back', async () => {
  const { now, wait } = realClock().stopwatch!;
  const at = now() + 40;
  const spy = vi.spyOn(Date, 'now').mockReturnValue(0);
  try {
    await wait(at, new AbortController().signal);
    expect(now()).toBeGreaterThanOrEqual(at);
  } finally {
    spy.mockRestore();
  }
});

test('an aborted timer rejects with the reason and removes its timeout', async () => {
  const before = timeouts();
  const stop = new AbortController();
  const waiting = timer({ key: 'a/1', at: Date.now() + 60_000 }, call(stop.signal));
  expect(timeouts()).toBe(before + 1);
  stop.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  expect(timeouts()).toBe(before);
  await expect(
    timer({ key: 'a/1', at: 0 }, call(AbortSignal.abort(new Error('never wanted')))),
  ).rejects.toThrow('never wanted');
});

function timeouts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

test('a wait longer than the limit of setTimeout ends at its time', async () => {
  const at = 2 ** 31 + 10_000;
  const fired = waitingUntil(at);
  // Node ends a timeout that is longer than its limit at once.
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fired.at).toBeUndefined();
  vi.setSystemTime(at - 5_000);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(fired.at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fired.at).toBeGreaterThanOrEqual(at);
});

test('a timer that is due after a clock change or a sleep fires soon', async () => {
  const hour = 3_600_000;
  const fired = waitingUntil(hour);
  await vi.advanceTimersByTimeAsync(1_000);
  vi.setSystemTime(3 * hour);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fired.at).toBeGreaterThanOrEqual(3 * hour);
});

test('a timer waits longer when the clock is set back', async () => {
  const fired = waitingUntil(60_000);
  await vi.advanceTimersByTimeAsync(30_000);
  vi.setSystemTime(0);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(fired.at).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fired.at).toBeGreaterThanOrEqual(60_000);
});

/** A timer on a clock that the test sets; it begins at 0. */
function waitingUntil(at: number): { readonly at?: number } {
  vi.useFakeTimers({ now: 0 });
  const fired: { at?: number } = {};
  void Promise.resolve(timer({ key: 'a/1', at }, call())).then(({ firedAt }) => {
    fired.at = firedAt;
  });
  return fired;
}
