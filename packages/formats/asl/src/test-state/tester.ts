import { DramaturgError, type Json } from '@dramaturg/compiler';
import { withArticle } from '@dramaturg/compiler/text';
import type { Program } from '../behaviour/program.ts';
import type { HasNext } from '../definition/state.ts';
import type { Failure, Outcome, Run } from '../flow/run.ts';

type StateTestErrorCode =
  | 'test-state/unknown-state'
  | 'test-state/wrong-mock'
  | 'test-state/wrong-context'
  | 'test-state/wrong-configuration';

/**
 * A state cannot be tested as requested.
 *
 * @example
 * ```ts
 * try {
 *   testState({ definition: { Type: 'Task', Resource: 'Price', End: true } });
 * } catch (error) {
 *   if (error instanceof StateTestError) console.log(error.hint); // → Give its result, { "result": … }, or its error, { "errorOutput": { "error": …, "cause": … } }.
 * }
 * ```
 */
export class StateTestError extends DramaturgError<StateTestErrorCode> {
  override readonly name = 'StateTestError';
  /** The next thing to do. */
  readonly hint: string;

  constructor(code: StateTestErrorCode, message: string, hint: string) {
    super(code, message);
    this.hint = hint;
  }
}

/** The replacement for the work of a state in a test: its result, or its error. Spec: AWS "TestState", MockInput */
export interface Mock {
  readonly result?: Json;
  readonly errorOutput?: { readonly error: string; readonly cause?: string };
  /**
   * How the result of a service's action is checked: with all fields that the service always gives (`STRICT`, the
   * default), only the fields that are present, or not at all.
   */
  readonly fieldValidationMode?: FieldValidationMode;
}

export type FieldValidationMode = 'STRICT' | 'PRESENT' | 'NONE';

/** The progress of items and retriers in a test. Spec: AWS "TestState", TestStateConfiguration */
export interface TestConfiguration {
  /** How often the retrier that fits has tried again already. */
  readonly retrierRetryCount?: number;
  /** How many items of a Map have failed. */
  readonly mapIterationFailureCount?: number;
  /** The items that the `ItemReader` of a Map has read, or the text of the file it has read. */
  readonly mapItemReaderData?: Json;
  /** The state within a Map or Parallel whose error the mock is. Only documents the test. */
  readonly errorCausedByState?: string;
}

/** How a state ended in a test; `nextState` is undefined when it ended its machine. */
type Ended = Failure | (Outcome & { readonly nextState: string | undefined });

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

/** Tests a state with calls or nested machines: a mock replaces them. */
export const testWork: StateTester = (program, run, { mock }) => {
  const { flow } = program;
  flow.prepare(run, flow.select(run));
  if (mock?.result !== undefined) run.inspect?.('result', mock.result);
  return mockedWork(program, run, mock);
};

/** @throws StateTestError when there is no mock */
export function mockedWork({ flow, state }: Program, run: Run, mock: Mock | undefined): Ended {
  if (mock?.errorOutput) {
    return { error: mock.errorOutput.error, cause: mock.errorOutput.cause ?? null };
  }
  if (mock?.result === undefined) {
    throw new StateTestError(
      'test-state/wrong-mock',
      `${withArticle(state.Type, 'A')} state needs a mock: a test makes no calls.`,
      'Give its result, { "result": … }, or its error, { "errorOutput": { "error": …, "cause": … } }.',
    );
  }
  return endWith(flow.finish(run, mock.result), state);
}
