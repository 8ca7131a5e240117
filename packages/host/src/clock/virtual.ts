import { realWorld } from '@dramaturg/compiler';
import { nextTurn } from '../next-turn.ts';
import type { Clock } from './clock.ts';
import { Timers } from './timers.ts';

export interface VirtualClock extends Clock {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Time stands still until the work settles. For ports that take real time to answer. */
  readonly busy: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Waits until a time, in line with the timers: what was due before it has run its course. */
  readonly advanceTo: (at: number) => Promise<void>;
  /**
   * Waits until nothing moves and nothing is due. A machine that has not ended by then waits for someone outside.
   */
  readonly settled: () => Promise<void>;
}

export interface VirtualClockOptions {
  /** Milliseconds since 1970 UTC. */
  readonly startAt: number;
}

/**
 * A clock on which waiting takes no time. Time stands still while anything moves, and then jumps to the earliest
 * timer; timers due at the same time fire one after another, in the order in which they were set, and each has run its
 * course before the next.
 *
 * "Nothing moves" is judged by the event loop: all promises have been dealt with, for a few turns. That is certain for
 * whatever answers from memory. The clock cannot see a file, a network or a `setTimeout`: wrap those in `busy`.
 */
export function virtualClock({ startAt }: VirtualClockOptions): VirtualClock {
  let time = startAt;
  const timers = new Timers();
  const now = () => time;
  const stillness = new Stillness();
  let running: Promise<void> | undefined;

  /** Fires timers until none is left. */
  async function run(): Promise<void> {
    while (timers.size > 0) {
      await stillness.reached();
      const timer = timers.take();
      if (!timer) break;
      time = Math.max(time, timer.at);
      stillness.disturb();
      timer.fire();
    }
    running = undefined;
  }

  function set(at: number, fire: () => void): () => void {
    stillness.disturb();
    const remove = timers.add({ at, fire });
    running ??= run();
    return remove;
  }

  return {
    now,
    world: { ...realWorld, now },
    timer: ({ at }, { signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const stop = () => {
          stillness.disturb();
          remove();
          reject(signal.reason);
        };
        const remove = set(at, () => {
          signal.removeEventListener('abort', stop);
          resolve({ firedAt: time });
        });
        signal.addEventListener('abort', stop, { once: true });
      }),
    busy: (work) => stillness.during(work),
    advanceTo: (at) => new Promise((resolve) => void set(at, resolve)),
    settled: async () => {
      await stillness.reached();
      while (timers.size > 0) {
        await running;
        await stillness.reached();
      }
    },
  };
}

/**
 * Turns of the event loop without a sign of life that count as stillness. One is enough to see that all promises have
 * been dealt with; a host may need another to hand an event on.
 */
const quietTurns = 3;

/** Tells when nothing moves. */
class Stillness {
  #signs = 0;
  readonly #work = new Set<Promise<unknown>>();

  /** Something has happened: what follows from it is still to come. */
  disturb(): void {
    this.#signs += 1;
  }

  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
      this.disturb();
    }
  }

  async reached(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      const before = this.#signs;
      if (this.#work.size > 0) await Promise.allSettled(this.#work);
      else await nextTurn();
      quiet = this.#signs === before && this.#work.size === 0 ? quiet + 1 : 0;
    }
  }
}
