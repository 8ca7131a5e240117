import { manualClock, type ManualClock } from '@dramaturg/host/browser';

/**
 * Machines are linked for a clock, which costs more than most tests. So a test takes over the clock of one that has ended, whose host has
 * stopped all its timers. Tests that run at the same time have clocks of their own.
 */
export class FreeClocks {
  readonly #free: ManualClock[] = [];

  /** @param startAt the time, in milliseconds since 1970 UTC */
  take(startAt: number): ManualClock {
    const clock = this.#free.pop();
    if (!clock) return manualClock({ startAt });
    clock.set(startAt);
    return clock;
  }

  giveBack(clock: ManualClock): void {
    this.#free.push(clock);
  }
}
