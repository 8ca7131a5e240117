import { DramaturgError } from '@dramaturg/compiler';

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
export class StatesError extends DramaturgError {
  override readonly name = 'StatesError';

  constructor(error: StatesErrorName, message: string) {
    super(error, message);
  }

  /** `States.Timeout`, or a name that a definition or an agent has made up. */
  get error(): string {
    return this.code;
  }
}
