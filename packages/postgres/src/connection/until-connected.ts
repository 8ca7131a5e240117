import { setTimeout as pause } from 'node:timers/promises';
import { isConnectionLoss } from './errors.ts';

const firstPauseMs = 20;
const pauseMaxMs = 500;

/**
 * Repeats work whose connection was lost.
 *
 * @param retryMs the time after which it is given up, in milliseconds
 * @param check called before each repetition; it throws when the work is in vain
 */
export async function untilConnected<Result>(
  work: () => Promise<Result>,
  retryMs: number,
  check: () => void,
): Promise<Result> {
  const giveUpAt = performance.now() + retryMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() + pauseMs > giveUpAt) throw error;
      await pause(pauseMs);
      check();
    }
  }
}
