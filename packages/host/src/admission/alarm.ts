import { Timers } from '../clock/timers.ts';
import type { Stopwatch } from '../clock/clock.ts';

/**
 * Calls functions at their times. Any number of them share one timer, which is set to the earliest. It is running, or stopped
 * for good: then nothing is called any more.
 */
export class Alarm {
  readonly #time: Stopwatch;
  readonly #timers = new Timers();
  #next: { readonly at: number; readonly controller: AbortController } | undefined;
  #isRinging = false;
  #isStopped = false;

  /** @param time where `now` and `wait` come from; it need not be one that is never set */
  constructor(time: Stopwatch) {
    this.#time = time;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Calls a function once, at or after a time. Functions with the same time are called in the order of the calls.
   *
   * @param at `Infinity` never comes
   * @returns a function that cancels the call
   */
  at(at: number, call: () => void): () => void {
    if (at === Infinity || this.#isStopped) return () => {};
    const remove = this.#timers.add({ at, fire: call });
    this.#set();
    return () => {
      remove();
      this.#set();
    };
  }

  /** Calls a function once, after a number of milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void {
    return this.at(this.#time.now() + milliseconds, call);
  }

  stop(): void {
    this.#isStopped = true;
    this.#set();
  }

  /**
   * Keeps the timer at the earliest call. Without a call there is none: it would keep the process alive. Where time passes by itself, it
   * stays at the time of a call that was cancelled: ringing once for nothing takes less than setting it for each call that ends in time.
   */
  #set(): void {
    if (this.#isRinging) return;
    const at = this.#isStopped ? undefined : this.#timers.first?.at;
    if (at === this.#next?.at) return;
    if (at !== undefined && this.#next && this.#next.at < at && this.#time.passes) return;
    this.#next?.controller.abort(replaced);
    this.#next = undefined;
    if (at === undefined) return;
    const next = { at, controller: new AbortController() };
    this.#next = next;
    this.#time.wait(at, next.controller.signal).then(
      () => {
        if (this.#next === next) this.#ring();
      },
      // Aborted: the timer was set to another time, or none is needed.
      () => {},
    );
  }

  #ring(): void {
    this.#next = undefined;
    this.#isRinging = true;
    const now = this.#time.now();
    try {
      while (this.#timers.first && this.#timers.first.at <= now) this.#timers.takeFirst()!.fire();
    } finally {
      // A call that throws, such as a report to the user's code, does not stop the others.
      this.#isRinging = false;
      this.#set();
    }
  }
}

/** A constant, because creating an error for each abort takes longer than the abort. */
const replaced = 'The timer was replaced.';
