import type { Clock, Stopwatch } from '../clock/clock.ts';
import { Timers } from '../clock/timers.ts';

/**
 * The waits of a host: for times of the day, such as timers, and for durations, such as retries, timeouts and heartbeats. It
 * is running, or stopped for good: then nothing is called any more.
 */
export class Schedule {
  readonly #world: Clock['world'];
  readonly #ofDay: Alarm;
  /** The same as `#ofDay` when the clock has no stopwatch. */
  readonly #ofDurations: Alarm;
  /** The same as `#ofDurations` unless the caller of the host sets the time. */
  readonly #ofCallers: Alarm;
  /** How many milliseconds `settle` waits by default: `Infinity` if the caller sets the time, as in tests. */
  readonly settleMs: number;

  constructor({ world, timer, stopwatch, patience }: Clock) {
    this.#world = world;
    this.#ofDay = new Alarm({
      now: () => world.now(),
      wait: async (at, signal) => {
        await timer({ key: 'schedule', at }, { signal, onText: () => {} });
      },
    });
    this.#ofDurations = stopwatch ? new Alarm(stopwatch) : this.#ofDay;
    this.settleMs = patience ? Infinity : 10_000;
    this.#ofCallers = patience ? new Alarm(patience) : this.#ofDurations;
  }

  get isStopped(): boolean {
    return this.#ofDay.isStopped;
  }

  /** Milliseconds since 1970 UTC. */
  get now(): number {
    return this.#world.now();
  }

  /**
   * Calls a function once, at or after a time of day.
   *
   * @param at milliseconds since 1970 UTC; `Infinity` never comes
   * @returns a function that cancels the call
   */
  at(at: number, call: () => void): () => void {
    return this.#ofDay.at(at, call);
  }

  /**
   * Calls a function once, after a duration, whether or not the time of day is set in the meantime.
   *
   * @param milliseconds `Infinity` is never over
   * @returns a function that cancels the call
   */
  after(milliseconds: number, call: () => void): () => void {
    return this.#ofDurations.after(milliseconds, call);
  }

  /**
   * Calls a function once, when a caller of the host has waited for a duration.
   *
   * @returns a function that cancels the call
   */
  afterWaiting(milliseconds: number, call: () => void): () => void {
    return this.#ofCallers.after(milliseconds, call);
  }

  stop(): void {
    this.#ofDay.stop();
    this.#ofDurations.stop();
    this.#ofCallers.stop();
  }
}

/**
 * Calls functions at their times. Any number of them share one timer, which is set to the earliest. It is running, or stopped
 * for good: then nothing is called any more.
 */
class Alarm {
  readonly #time: Stopwatch;
  readonly #timers = new Timers();
  #next: { readonly at: number; readonly controller: AbortController } | undefined;
  #isRinging = false;
  #isStopped = false;

  /** @param time where `now` and `wait` come from; its time may be set */
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
   * Sets the timer to the earliest call. Without a call there is no timer, because it would keep the process alive. Where time
   * passes by itself, the timer is not reset when a call is cancelled: ringing once for nothing costs less than a reset for each
   * call that ends in time.
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
