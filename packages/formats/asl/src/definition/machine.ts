import type { Path } from '@dramaturg/compiler';
import type { State } from './any-state.ts';

/** A machine in one spelling: the workflow, a branch of a Parallel, or what a Map runs for an item. */
export interface Machine {
  /** Empty when left out or no text. */
  readonly StartAt: string;
  /** In the order in which they are written. */
  readonly States: readonly State[];
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}
