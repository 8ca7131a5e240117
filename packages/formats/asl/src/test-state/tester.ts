import type { Json } from '@dramaturg/compiler';
import type { Program } from '../behaviour/program.ts';
import type { HasNext } from '../definition/index.ts';
import type { Failure, Outcome, Run } from '../flow/run.ts';

/** The result or the error of a state's work in a test. */
export interface Mock {
  readonly result?: Json;
  readonly errorOutput?: { readonly error?: string; readonly cause?: string };
}

/** The progress of items and retriers in a test. */
export interface TestConfiguration {
  /** How often the retrier that fits has tried again already. */
  readonly retrierRetryCount?: number;
  /** How many items of a Map have failed. */
  readonly mapIterationFailureCount?: number;
  /** What the `ItemReader` of a Map has read. */
  readonly mapItemReaderData?: Json;
  /** The state within a Map or Parallel that has failed. Only documents the test. */
  readonly errorCausedByState?: string;
}

/** How a state ended in a test; `nextState` is undefined when it ended its machine. */
export type Ended = Failure | (Outcome & { readonly nextState: string | undefined });

/** Tests a state of one type. */
export type StateTester<Slice extends object = object> = (
  program: Program & Slice,
  run: Run,
  test: { readonly mock?: Mock; readonly configuration?: TestConfiguration },
) => Ended;

/** The end of a state with `Next` or `End`. */
export function endWith(outcome: Outcome, { Next: next, End: end }: Partial<HasNext>): Ended {
  return { ...outcome, nextState: end ? undefined : next };
}
