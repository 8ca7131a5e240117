import { type ManualClock, manualClock } from '@dramaturg/host/browser';

/** Milliseconds between two updates of the clock. */
const tickMs = 50;

/** A clock that can run at any speed, stop, or jump ahead. */
export class StageClock {
  readonly clock: ManualClock;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(startAt: number) {
    this.clock = manualClock({ startAt });
  }

  /** @param pace seconds of the clock per real second; 0 stops it */
  run(pace: number): void {
    clearInterval(this.#timer);
    if (pace === 0) return;
    this.#timer = setInterval(() => this.advance(tickMs * pace), tickMs);
  }

  advance(milliseconds: number): void {
    this.clock.set(this.clock.now() + milliseconds);
  }

  setTo(at: number): void {
    if (at > this.clock.now()) this.clock.set(at);
  }
}
