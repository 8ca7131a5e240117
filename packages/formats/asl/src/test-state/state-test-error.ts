import { DramaturgError } from '@dramaturg/compiler';

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
