import { realWorld } from '@dramaturg/compiler';
import type { Clock } from './clock.ts';

/** The longest that `setTimeout` can wait, in milliseconds: a little less than 25 days. */
const longestDelay = 2 ** 31 - 1;

/** The time of day. A wait keeps the process alive until it ends or is aborted. */
export function realClock(): Clock {
  return {
    world: realWorld,
    timer: async ({ at }, { signal }) => {
      // Not one timeout: it may be too far off, the time of day may be set, and Node may fire a millisecond early.
      for (let left = at - Date.now(); left > 0; left = at - Date.now())
        await pause(Math.min(left, longestDelay), signal);
      signal.throwIfAborted();
      return { firedAt: Date.now() };
    },
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
