import { realWorld, nextTurn } from '@dramaturg/compiler/machine';
import type { Clock } from './clock.ts';
import { Timers } from './timers.ts';

export interface VirtualClock extends Clock {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Stops time until the work settles. For ports that take real time. */
  readonly busy: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Waits until a time. Timers that are due earlier fire first, with all their effects. */
  readonly advanceTo: (at: number) => Promise<void>;
  /** Waits until no work is left and no timer is set. A machine that has not ended then waits for outside input. */
  readonly settled: () => Promise<void>;
}

export interface VirtualClockOptions {
  /** Milliseconds since 1970 UTC. */
  readonly startAt: number;
}

/**
 * A clock without real waiting. Time stops while work is in progress, and then jumps to the earliest timer. Timers that are due
 * at the same time fire one after another, in the order in which they were set, each after all effects of the one before.
 *
 * No work is left when the event loop has handled all promises for a few turns. This is correct for work in memory. The clock
 * cannot see files, networks or `setTimeout`: wrap such work in `busy`.
 *
 * @example
 * ```ts
 * const clock = virtualClock({ startAt: Date.UTC(2026, 0, 1) });
 * const { machine } = compile(
 *   'StartAt: Rest\nStates: { Rest: { Type: Wait, Seconds: 86400, End: true } }',
 *   { link: { world: clock.world } },
 * );
 * const actor = createActor(providePorts(machine!, { timer: clock.timer })).start();
 * console.log((await toPromise(actor)).status); // → succeeded
 * console.log(new Date(clock.now()).toISOString()); // → 2026-01-02T00:00:00.000Z
 * ```
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
      const timer = timers.takeFirst();
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
    world: { ...realWorld, now, nextTurn: () => stillness.during(nextTurn()) },
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
 * The number of turns of the event loop without work after which no work is left. One turn handles all promises. A host may need
 * another turn to pass an event on.
 */
const quietTurns = 3;

/** Detects when no work is left. */
class Stillness {
  #disturbances = 0;
  readonly #work = new Set<Promise<unknown>>();

  /** Notes an event whose effects are still to come. */
  disturb(): void {
    this.#disturbances += 1;
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
      const before = this.#disturbances;
      if (this.#work.size > 0) await Promise.allSettled(this.#work);
      else await nextTurn();
      quiet = this.#disturbances === before && this.#work.size === 0 ? quiet + 1 : 0;
    }
  }
}
