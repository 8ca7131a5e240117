import type { Port } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/**
 * The time of a machine: the `World` that its behaviour reads, and the port `timer`. They belong together: a timer must not
 * fire before the time that the behaviour reads.
 */
export interface Clock {
  readonly world: World;
  /** Fires at or after the time asked for, immediately if that has passed. Rejects when the call is aborted. */
  readonly timer: Port<'timer'>;
  /** For durations: pauses and time limits. Without it, they change when the time of day is set. */
  readonly stopwatch?: Stopwatch;
  /**
   * The time for callers of `settle` and `stop`. A clock that stops until its caller sets it needs it, because that caller waits
   * itself.
   */
  readonly patience?: Stopwatch;
}

/** A time that is never set. */
export interface Stopwatch {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Fulfils at or after a time of `now`. Rejects when the signal is aborted. */
  readonly wait: (at: number, signal: AbortSignal) => Promise<void>;
  /** The time passes by itself, so a wait that ends too early changes nothing. When left out, waits may set the time. */
  readonly passes?: true;
}
