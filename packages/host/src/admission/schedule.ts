import type { Clock } from '../clock/clock.ts';
import { Alarm } from './alarm.ts';

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
  /** For how many milliseconds `settle` waits when nobody says it: without an end where the caller sets the time, as in tests. */
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
