import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import { expect, test } from 'vitest';
import { Schedule } from '../../src/admission/schedule.ts';
import type { Clock, Stopwatch } from '../../src/clock/clock.ts';
import { manualClock } from '../../src/clock/manual.ts';
import { nextTurn } from '@dramaturg/compiler/machine';

test('calls come in the order of their times, and cancelled ones do not come', async () => {
  const wait = record({ at: integer({ min: 0, max: 50 }), isCancelled: boolean() });
  await assert(
    asyncProperty(array(wait, { maxLength: 60 }), async (waits) => {
      const clock = manualClock({ startAt: 0 });
      const schedule = new Schedule(clock);
      const called: number[] = [];
      const cancels = waits.map(({ at }, index) => schedule.at(at, () => called.push(index)));
      for (const [index, { isCancelled }] of waits.entries()) if (isCancelled) cancels[index]!();
      for (let now = 0; now <= 50; now += 1) {
        clock.set(now);
        await nextTurn();
        expect(called.every((index) => waits[index]!.at <= now)).toBe(true);
      }
      const expected = [...waits.entries()]
        .filter(([, { isCancelled }]) => !isCancelled)
        .toSorted(([, one], [, other]) => one.at - other.at)
        .map(([index]) => index);
      expect(called).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test('any number of waits share one timer of the clock, and without waits there is none', () => {
  const clock = manualClock({ startAt: 0 });
  let open = 0;
  const counting: Clock = {
    ...clock,
    timer: (input, call) => {
      open += 1;
      call.signal.addEventListener('abort', () => (open -= 1));
      return clock.timer(input, call);
    },
  };
  const schedule = new Schedule(counting);
  const cancels = Array.from({ length: 1_000 }, (_, index) =>
    schedule.after(1_000 - index, () => {}),
  );
  expect(open).toBe(1);
  for (const cancel of cancels) cancel();
  expect(open).toBe(0);
  schedule.after(10, () => {});
  schedule.stop();
  expect(open).toBe(0);
});

test('a duration does not change when the time of day is set back', async () => {
  const timeOfDay = manualClock({ startAt: 5_000 });
  const elapsed = manualClock({ startAt: 0 });
  const stopwatch: Stopwatch = {
    now: () => elapsed.now(),
    wait: async (at, signal) => {
      await elapsed.timer({ key: 'stopwatch', at }, { signal, onText: () => {} });
    },
  };
  const schedule = new Schedule({ ...timeOfDay, stopwatch });
  const called: string[] = [];
  schedule.after(10, () => called.push('a pause'));
  schedule.at(5_010, () => called.push('a time of day'));
  timeOfDay.set(0);
  for (const now of [9, 10]) {
    elapsed.set(now);
    await nextTurn();
    expect(called).toEqual(now < 10 ? [] : ['a pause']);
  }
  timeOfDay.set(5_010);
  await nextTurn();
  expect(called).toEqual(['a pause', 'a time of day']);
});

test('where time passes by itself, cancelled calls do not move the timer, and calls come at their times', async () => {
  let now = 0;
  /** The waits that are not over. */
  const waits = new Map<() => void, number>();
  let begun = 0;
  const stopwatch: Stopwatch = {
    now: () => now,
    wait: (at, signal) =>
      new Promise((resolve, reject) => {
        begun += 1;
        waits.set(resolve, at);
        signal.addEventListener('abort', () => {
          waits.delete(resolve);
          reject(signal.reason as Error);
        });
      }),
    passes: true,
  };
  const advance = async (to: number) => {
    now = to;
    for (const [resolve, at] of waits) if (at <= now && waits.delete(resolve)) resolve();
    await nextTurn();
  };
  const schedule = new Schedule({ ...manualClock({ startAt: 0 }), stopwatch });
  const called: string[] = [];
  const first = schedule.after(100, () => called.push('first'));
  // Calls that take one time unit each, and of which two overlap.
  let cancel = first;
  for (let index = 1; index <= 50; index += 1) {
    await advance(index);
    const next = schedule.after(100, () => called.push(`call ${index}`));
    cancel();
    cancel = next;
  }
  expect(begun).toBe(1);
  // Rings for the first call, which was cancelled, and is set to the last one.
  await advance(100);
  expect(called).toEqual([]);
  expect([...waits.values()]).toEqual([150]);
  // An earlier call moves it.
  schedule.after(10, () => called.push('early'));
  expect([...waits.values()]).toEqual([110]);
  await advance(110);
  await advance(149);
  expect(called).toEqual(['early']);
  await advance(150);
  expect(called).toEqual(['early', 'call 50']);
  expect(waits.size).toBe(0);
  // Without a call there is no timer.
  const last = schedule.after(10, () => called.push('last'));
  expect(waits.size).toBe(1);
  last();
  expect(waits.size).toBe(0);
  schedule.stop();
});

test('a call may set another one', async () => {
  const clock = manualClock({ startAt: 0 });
  const schedule = new Schedule(clock);
  const times: number[] = [];
  const beat = () => {
    times.push(schedule.now);
    schedule.after(10, beat);
  };
  schedule.after(10, beat);
  for (let index = 0; index < 40; index += 1) {
    clock.set(clock.now() + 1);
    await nextTurn();
  }
  expect(times).toEqual([10, 20, 30, 40]);
});
