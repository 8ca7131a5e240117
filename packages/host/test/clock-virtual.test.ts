import { providePorts } from '@dramaturg/compiler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMachine, createActor, toPromise } from 'xstate';
import { virtualClock } from '../src/index.ts';

const startAt = Date.UTC(2024, 0, 1, 12);
const day = 86_400_000;

/** Sets a timer as a machine would; the answer is when it fired, counted from the start. */
async function wait(clock: ReturnType<typeof virtualClock>, after: number, signal?: AbortSignal) {
  const { firedAt } = await clock.timer(
    { key: 'a/1', at: startAt + after },
    { signal: signal ?? new AbortController().signal, onText: () => {} },
  );
  return firedAt - startAt;
}

test('a wait of years takes no time and advances the clock', async () => {
  const clock = virtualClock({ startAt });
  expect(await wait(clock, 3650 * day)).toBe(3650 * day);
  expect(clock.now()).toBe(startAt + 3650 * day);
  expect(clock.world.now()).toBe(clock.now());
});

test('timers fire in due order, and in the order in which they were set', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ after: fc.nat(9), aborted: fc.boolean() }), { maxLength: 40 }),
      async (plan) => {
        const clock = virtualClock({ startAt });
        const fired: number[] = [];
        const waits = plan.map(async ({ after, aborted }, index) => {
          const stop = new AbortController();
          const waiting = wait(clock, after, stop.signal);
          if (aborted) stop.abort();
          await waiting.then(() => fired.push(index)).catch(() => {});
        });
        await Promise.all(waits);
        const kept = plan.flatMap(({ after, aborted }, index) =>
          aborted ? [] : [{ after, index }],
        );
        expect(fired).toEqual(
          kept.toSorted((a, b) => a.after - b.after || a.index - b.index).map(({ index }) => index),
        );
      },
    ),
  );
});

test('a time that has passed fires without turning the clock back', async () => {
  const clock = virtualClock({ startAt });
  await clock.advanceTo(startAt + 500);
  expect(await wait(clock, 100)).toBe(500);
  expect(await wait(clock, Number.NEGATIVE_INFINITY)).toBe(500);
});

test('the next timer fires after all effects of the one before', async () => {
  const clock = virtualClock({ startAt });
  const seen: string[] = [];
  const later = wait(clock, 20).then(() => seen.push('20'));
  await wait(clock, 10);
  for (let step = 0; step < 50; step += 1) await Promise.resolve();
  seen.push('10, and what follows');
  await later;
  expect(seen).toEqual(['10, and what follows', '20']);
});

test('an aborted wait rejects with the reason and does not advance the clock', async () => {
  const clock = virtualClock({ startAt });
  const stop = new AbortController();
  const waiting = wait(clock, day, stop.signal);
  stop.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  await expect(wait(clock, day, AbortSignal.abort(new Error('never wanted')))).rejects.toThrow(
    'never wanted',
  );
  await clock.settled();
  expect(clock.now()).toBe(startAt);
});

test('time stands still while a port takes real time', async () => {
  const clock = virtualClock({ startAt });
  const timeout = wait(clock, 1);
  const answered = clock.busy(
    new Promise<number>((resolve) => setTimeout(() => resolve(clock.now() - startAt), 30)),
  );
  expect(await Promise.race([timeout, answered])).toBe(0);
  expect(await timeout).toBe(1);
  await expect(clock.busy(Promise.reject(new Error('no network')))).rejects.toThrow('no network');
});

test('the clock is settled when no timer is set', async () => {
  const clock = virtualClock({ startAt });
  await clock.settled();
  const after: number[] = [];
  void wait(clock, 5).then(async (first) => after.push(first, await wait(clock, 8)));
  await clock.settled();
  expect(after).toEqual([5, 8]);
});

test('100,000 timers with the same time fire in order', async () => {
  const clock = virtualClock({ startAt });
  const order = await Promise.all(
    Array.from({ length: 100_000 }, async (_, index) => [await wait(clock, day), index]),
  );
  expect(order.every(([at], index) => at === day && order[index]![1] === index)).toBe(true);
});

/** Asks the timer for a time, or is stopped by an event. */
const waiting = createMachine({
  initial: 'waiting',
  states: {
    waiting: {
      invoke: { src: 'timer', input: { key: 'waiting/1', at: startAt + day }, onDone: 'over' },
      on: { stop: 'stopped' },
    },
    over: { type: 'final' },
    stopped: { type: 'final' },
  },
});

test('leaving a state of a machine cancels its timer', async () => {
  const clock = virtualClock({ startAt });
  const machine = providePorts(waiting, { timer: clock.timer });
  const actor = createActor(machine).start();
  await toPromise(actor);
  expect([actor.getSnapshot().value, clock.now()]).toEqual(['over', startAt + day]);

  const second = virtualClock({ startAt });
  const stopped = createActor(providePorts(waiting, { timer: second.timer })).start();
  stopped.send({ type: 'stop' });
  await second.settled();
  expect([stopped.getSnapshot().value, second.now()]).toEqual(['stopped', startAt]);
});
