import type { Json } from '@dramaturg/compiler';
import type { Program } from '../behaviour/program.ts';
import type { Leads } from '../definition/index.ts';
import type { Failure, Outcome, Run } from '../flow/run.ts';

/** What the work of a state comes to in a test: its result, or how it fails. */
export interface Mock {
  readonly result?: Json;
  readonly errorOutput?: { readonly error?: string; readonly cause?: string };
}

/** How the items of a Map and the retriers of a state are in a test. */
export interface TestConfiguration {
  /** How often the retrier that fits has tried again already. */
  readonly retrierRetryCount?: number;
  /** How many items of a Map have failed. */
  readonly mapIterationFailureCount?: number;
  /** What the `ItemReader` of a Map has read. */
  readonly mapItemReaderData?: Json;
  /** Which state within a Map or Parallel has failed. It is for the reader of the test only. */
  readonly errorCausedByState?: string;
}

/** How a state ended in a test; `nextState` is undefined when it ended its machine. */
export type Ended = Failure | (Outcome & { readonly nextState: string | undefined });

/** Runs a state of one type by itself. */
export type StateTester = (
  program: Program,
  run: Run,
  test: { readonly mock?: Mock; readonly configuration?: TestConfiguration },
) => Ended;

/** The end of a state that leads where its fields say. */
export function leading(outcome: Outcome, { Next: next, End: end }: Partial<Leads>): Ended {
  return { ...outcome, nextState: end ? undefined : next };
}
