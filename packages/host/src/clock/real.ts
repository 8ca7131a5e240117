import { realWorld } from '@dramaturg/compiler/machine';
import type { Clock, Stopwatch } from './clock.ts';

/**
 * How often a wait checks the time of day, in milliseconds. Timeouts ignore changes of the time of day and the sleep of the
 * machine, so a wait notices them at most that much later.
 */
const pauseMaxMs = 10_000;

/** The longest timeout of Node. */
const timeoutMaxMs = 2 ** 31 - 1;

/** The time since this process began. A wait keeps the process alive until it ends or is aborted. */
export const realStopwatch: Stopwatch = {
  now: () => performance.now(),
  wait: async (at, signal) => {
    // Node may fire a millisecond early.
    for (let waitMs = at - performance.now(); waitMs > 0; waitMs = at - performance.now())
      await pause(Math.min(Math.ceil(waitMs), timeoutMaxMs), signal);
    signal.throwIfAborted();
  },
  passes: true,
};

/**
 * The time of day. A wait keeps the process alive until it ends or is aborted.
 *
 * @example
 * ```ts
 * const { machine } = compile(
 *   'StartAt: Rest\nStates: { Rest: { Type: Wait, Seconds: 0, End: true } }',
 * );
 * const { timer } = realClock();
 * const actor = createActor(providePorts(machine!, { timer })).start();
 * console.log((await toPromise(actor)).status); // → succeeded
 * ```
 */
export function realClock(): Clock {
  return {
    world: realWorld,
    timer: async ({ at }, { signal }) => {
      // Not a single timeout: the time may be set, the machine may sleep, and Node may fire a millisecond early.
      for (let waitMs = at - Date.now(); waitMs > 0; waitMs = at - Date.now())
        await pause(Math.min(waitMs, pauseMaxMs), signal);
      signal.throwIfAborted();
      return { firedAt: Date.now() };
    },
    stopwatch: realStopwatch,
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timeout);
      reject(signal.reason);
    };
    const timeout = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
