import { DramaturgError, type Json } from '@dramaturg/compiler';

/** A value as text for people and prompts: a string as it is, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Names of errors that the language itself raises. Amazon #appendix-a, Agent 8 §Error names */
export type StatesErrorName =
  | 'Agent.InvalidOutput'
  | 'States.AgentNotFound'
  | 'States.DataLimitExceeded'
  | 'States.ExceedToleratedFailureThreshold'
  | 'States.HeartbeatTimeout'
  | 'States.IntrinsicFailure'
  | 'States.ItemReaderFailed'
  | 'States.NoChoiceMatched'
  | 'States.ParameterPathFailure'
  | 'States.Permissions'
  | 'States.QueryEvaluationError'
  | 'States.ResultPathMatchFailure'
  | 'States.ResultWriterFailed'
  | 'States.Runtime'
  | 'States.ValidationError'
  | 'States.StepLimitExceeded'
  | 'States.TaskFailed'
  | 'States.Timeout';

/**
 * An error of the workflow itself: `Retry` and `Catch` handle it, otherwise the run fails with it. It is thrown and
 * caught within the evaluation of one state.
 */
export class StatesError extends DramaturgError {
  override readonly name = 'StatesError';
  readonly error: StatesErrorName;

  constructor(error: StatesErrorName, message: string, options?: ErrorOptions) {
    super(error, message, options);
    this.error = error;
  }
}
