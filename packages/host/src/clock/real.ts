import { realWorld } from '@dramaturg/compiler';
import type { Clock } from './clock.ts';

/**
 * Milliseconds until the time of day is looked at again. A timeout counts neither what the time of day is set forward nor
 * what the machine sleeps, so a wait notices either that much later at most.
 */
const longestPause = 10_000;

/** The time of day. A wait keeps the process alive until it ends or is aborted. */
export function realClock(): Clock {
  return {
    world: realWorld,
    timer: async ({ at }, { signal }) => {
      // Not one timeout: the time of day may be set, the machine may sleep, and Node may fire a millisecond early.
      for (let left = at - Date.now(); left > 0; left = at - Date.now())
        await pause(Math.min(left, longestPause), signal);
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
