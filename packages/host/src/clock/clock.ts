import type { Port } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/**
 * The time of a machine: the `World` that its behaviour reads, and the port `timer`. They belong together: a timer must not
 * fire before the time that the behaviour reads.
 */
export interface Clock {
  readonly world: World;
  /** Fires at or after the time asked for, at once if that has passed. Rejects when the call is aborted. */
  readonly timer: Port<'timer'>;
  /** For durations: pauses and time limits. Without it, they change when the time of day is set. */
  readonly stopwatch?: Stopwatch;
  /**
   * For how long a caller of `settle` or `stop` waits. A clock that stands still until its caller sets it has it, because that
   * caller is the one that waits.
   */
  readonly patience?: Stopwatch;
}

/** A time that is never set. */
export interface Stopwatch {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Fulfils at or after a time of `now`. Rejects when the signal is aborted. */
  readonly wait: (at: number, signal: AbortSignal) => Promise<void>;
  /** The time passes by itself, so that a wait that ends before it has to changes nothing. Otherwise waits may be what sets it. */
  readonly passes?: true;
}
