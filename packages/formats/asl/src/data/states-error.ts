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
 * A workflow's own failure: what `Retry` and `Catch` deal with, and what a run that fails ends with. It is thrown
 * within the evaluation of one state only, and caught there.
 */
export class StatesError extends Error {
  override readonly name = 'StatesError';
  /** `States.Timeout`, or a name that a definition or an agent has made up. */
  readonly error: string;

  constructor(error: StatesErrorName, message: string) {
    super(message);
    this.error = error;
  }
}
