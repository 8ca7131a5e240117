import type { Scheduler } from './scheduler.ts';

interface Wait {
  readonly at: number;
  readonly fire: () => void;
  cancel: () => void;
}

/** The time of day of one machine. It can be set forward and back; then timers become due earlier or later. */
export class WallClock {
  readonly #scheduler: Scheduler;
  /** How far it is from the time of the world, in milliseconds. */
  #offset = 0;
  readonly #waits = new Set<Wait>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  now(): number {
    return this.#scheduler.now + this.#offset;
  }

  /** @returns a function that cancels it */
  when(at: number, fire: () => void): () => void {
    const wait: Wait = { at, fire, cancel: () => {} };
    this.#waits.add(wait);
    this.#schedule(wait);
    return () => {
      wait.cancel();
      this.#waits.delete(wait);
    };
  }

  /** Cancels everything that waits. */
  stop(): void {
    for (const { cancel } of this.#waits) cancel();
    this.#waits.clear();
  }

  jump(milliseconds: number): void {
    this.#offset += milliseconds;
    for (const wait of this.#waits) {
      wait.cancel();
      this.#schedule(wait);
    }
  }

  /** Sets it to the time of the world. */
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
