import { type ManualClock, manualClock } from '@dramaturg/host/browser';

/** Milliseconds between two looks at the time. */
const tick = 50;

/** A clock that runs as fast as one likes, stands still, or is set ahead. */
export class StageClock {
  readonly clock: ManualClock;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(startAt: number) {
    this.clock = manualClock({ startAt });
  }

  /** @param pace seconds of the clock in one of ours; 0 stands still */
  run(pace: number): void {
    clearInterval(this.#timer);
    if (pace === 0) return;
    this.#timer = setInterval(() => this.pass(tick * pace), tick);
  }

  pass(milliseconds: number): void {
    this.clock.set(this.clock.now() + milliseconds);
  }

  setTo(at: number): void {
    if (at > this.clock.now()) this.clock.set(at);
  }
}
