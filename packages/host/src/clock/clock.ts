import type { Port, World } from '@dramaturg/compiler';

/**
 * What time is for a machine: the `World` that its behaviour reads, and the port that its waits go by. They belong
 * together: a wait that ends at a time which the behaviour has not reached yet would be a contradiction.
 */
export interface Clock {
  readonly world: World;
  /** Fires at or after the time asked for, at once if that has passed. Rejects when the call is aborted. */
  readonly timer: Port<'timer'>;
}
