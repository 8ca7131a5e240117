import { DramaturgError } from '@dramaturg/compiler';

/** Fails the task that has called an agent: `error` is the name that `Catch` and `Retry` of the workflow match. */
export class AgentError extends DramaturgError {
  override readonly name = 'AgentError';
  readonly error: string;

  constructor(error: string, cause: string) {
    super('agent/failed', cause, { cause });
    this.error = error;
  }
}
