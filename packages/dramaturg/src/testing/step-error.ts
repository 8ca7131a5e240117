import { DramaturgError, InputError, PortError } from '@dramaturg/compiler';
import { HostError } from '@dramaturg/host/browser';

/** A step that cannot be carried out. */
export class StepError extends DramaturgError<'test/impossible-step'> {
  override readonly name = 'StepError';
  /** The next thing to do. */
  readonly hint: string;
  /** The state of the flow, where it is known. */
  readonly state: string | undefined;

  constructor(message: string, hint: string, state?: string) {
    super('test/impossible-step', message);
    this.hint = hint;
    this.state = state;
  }
}

/** Turns an error of the host in a step into a `StepError` with the next thing to do. */
export function asStepError(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof InputError) return new StepError(error.message, 'Correct the input.');
  if (error instanceof HostError) return new StepError(error.message, 'Correct the step.');
  throw error;
}

/** Whether a call of a port has failed, or one of its attempts. */
export function isOfPort(error: unknown): boolean {
  return error instanceof PortError || (error instanceof Error && isOfPort(error.cause));
}
