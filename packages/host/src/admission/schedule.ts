import type { Clock } from '../clock/clock.ts';
import { Timers } from '../clock/timers.ts';

/**
 * The waits of a host: retries, timeouts and heartbeats. Any number of them share one timer of the clock, which is set to
 * the earliest. It is running, or stopped for good: then nothing is called any more.
 */
export class Schedule {
  readonly #clock: Clock;
  readonly #timers = new Timers();
  #alarm: { readonly at: number; readonly controller: AbortController } | undefined;
  #isRinging = false;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Milliseconds since 1970 UTC. */
  get now(): number {
    return this.#clock.world.now();
  }

  /**
   * Calls a function once, at or after a time. Functions with the same time are called in the order of the calls.
   *
   * @param at milliseconds since 1970 UTC; `Infinity` never comes
   * @returns a function that cancels the call
   */
  at(at: number, call: () => void): () => void {
    if (at === Infinity || this.#isStopped) return () => {};
    const remove = this.#timers.add({ at, fire: call });
    this.#setAlarm();
    return () => {
      remove();
      this.#setAlarm();
    };
  }

  /** Calls a function once, after a number of milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void {
    return this.at(this.now + milliseconds, call);
  }

  stop(): void {
    this.#isStopped = true;
    this.#setAlarm();
  }

  /** Keeps the alarm at the earliest wait. Without a wait there is none: it would keep the process alive. */
  #setAlarm(): void {
    if (this.#isRinging) return;
    const at = this.#isStopped ? undefined : this.#timers.first?.at;
    if (at === this.#alarm?.at) return;
    this.#alarm?.controller.abort(replaced);
    this.#alarm = undefined;
    if (at === undefined) return;
    const alarm = { at, controller: new AbortController() };
    this.#alarm = alarm;
    const call = { signal: alarm.controller.signal, onText: () => {} };
    Promise.resolve(this.#clock.timer({ key: 'schedule', at }, call)).then(
      () => {
        if (this.#alarm === alarm) this.#ring();
      },
      // Aborted: another alarm was set, or none is needed.
      () => {},
    );
  }

  #ring(): void {
    this.#alarm = undefined;
    this.#isRinging = true;
    const { now } = this;
    try {
      while (this.#timers.first && this.#timers.first.at <= now) this.#timers.takeFirst()!.fire();
    } finally {
      // A call that throws, such as a report to the user's code, does not stop the others.
      this.#isRinging = false;
      this.#setAlarm();
    }
  }
}

/** A constant, because creating an error for each abort takes longer than the abort. */
const replaced = 'The alarm was replaced.';
