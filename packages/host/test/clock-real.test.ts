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

test('an aborted timer ends with the reason and leaves nothing behind', async () => {
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

test('a wait longer than setTimeout can count is made of several', async () => {
  vi.useFakeTimers({ now: 0 });
  const at = 2 ** 31 + 10_000;
  let firedAt: number | undefined;
  void Promise.resolve(timer({ key: 'a/1', at }, call())).then((fired) => ({ firedAt } = fired));
  await vi.advanceTimersByTimeAsync(at - 1);
  expect(firedAt).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(firedAt).toBe(at);
});
