import type { Scheduler } from './scheduler.ts';

interface Wait {
  readonly at: number;
  readonly fire: () => void;
  cancel: () => void;
}

/** The time of day of one machine. It can be set forward and back. Timers then become due earlier or later. */
export class WallClock {
  readonly #scheduler: Scheduler;
  /** The difference from the time of the world, in milliseconds. */
  #offset = 0;
  readonly #waits = new Set<Wait>();
  /** The functions that cancel waits for elapsed time. */
  readonly #elapsing = new Set<() => void>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  now(): number {
    return this.#scheduler.now + this.#offset;
  }

  /** @returns a function that cancels the wait */
  when(at: number, fire: () => void): () => void {
    const wait: Wait = { at, fire, cancel: () => {} };
    this.#waits.add(wait);
    this.#schedule(wait);
    return () => {
      wait.cancel();
      this.#waits.delete(wait);
    };
  }

  /** Cancels all waits. */
  stop(): void {
    for (const { cancel } of this.#waits) cancel();
    this.#waits.clear();
    for (const cancel of this.#elapsing) cancel();
    this.#elapsing.clear();
  }

  /** The monotonic time in milliseconds, which setting the clock does not change. */
  elapsed(): number {
    return this.#scheduler.now;
  }

  /**
   * @param at a time of `elapsed`
   * @returns a function that cancels the wait
   */
  whenElapsed(at: number, fire: () => void): () => void {
    const cancel = this.#scheduler.after(at - this.#scheduler.now, () => {
      this.#elapsing.delete(cancel);
      fire();
    });
    this.#elapsing.add(cancel);
    return () => {
      cancel();
      this.#elapsing.delete(cancel);
    };
  }

  jump(milliseconds: number): void {
    this.#offset += milliseconds;
    for (const wait of this.#waits) {
      wait.cancel();
      this.#schedule(wait);
    }
  }

  /** Sets the clock to the time of the world. */
  correct(): void {
    this.jump(-this.#offset);
  }

  #schedule(wait: Wait): void {
    wait.cancel = this.#scheduler.after(wait.at - this.now(), () => {
      this.#waits.delete(wait);
      wait.fire();
    });
  }
}
