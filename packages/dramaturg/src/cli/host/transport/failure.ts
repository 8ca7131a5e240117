import { DramaturgError, InputError, type Json, LinkError } from '@dramaturg/compiler';
import { type Answer, HostError, StoreError } from '@dramaturg/host';
import { UsageError } from '../../usage-error.ts';

/** The body of an error response on the socket of a host. */
export interface Failure {
  readonly error: string;
  readonly code: string;
  readonly details?: Json | undefined;
}

/** A failure that a host in another process has reported. */
export class RemoteError extends DramaturgError {
  override readonly name = 'RemoteError';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code, failure.error);
    this.failure = failure;
  }
}

/** An instance has not accepted an event. */
export class EventRefusedError extends DramaturgError {
  override readonly name = 'EventRefusedError';
  readonly answer: Answer & { readonly accepted: false };
  /** The instance, where the event was addressed to a contact. */
  readonly instance: string | undefined;

  constructor(answer: Answer & { readonly accepted: false }, instance?: string) {
    super('instance/refused', answer.because);
    this.answer = answer;
    this.instance = instance;
  }
}

/** The failure in an error that a person or the store has caused. @returns undefined for a fault of Dramaturg itself */
export function failureIn(error: unknown): Failure | undefined {
  if (error instanceof RemoteError) return error.failure;
  if (error instanceof HostError || error instanceof StoreError)
    return { error: error.message, code: error.code };
  if (error instanceof InputError)
    return { error: error.message, code: error.code, details: [...error.problems] };
  if (error instanceof LinkError) return { error: error.message, code: 'definition/not-linked' };
  if (error instanceof UsageError)
    return {
      error: error.message,
      code: 'request/refused',
      ...(error.hint === undefined ? {} : { details: error.hint }),
    };
  return undefined;
}

const statuses: Readonly<Record<string, number>> = {
  'host/unknown-instance': 404,
  'host/unknown-checkpoint': 404,
  'host/unknown-decision': 404,
  'store/unknown': 404,
  'host/unknown-definition': 400,
  'host/exists': 409,
  'host/instances-running': 409,
  'host/cannot-erase': 409,
  'store/exists': 409,
  'host/bad-request': 400,
  'host/unknown-option': 400,
  'host/message-refused': 409,
  'store/bad-request': 400,
  'input/incomplete': 400,
  'definition/not-linked': 400,
  'request/refused': 400,
  'host/damaged': 500,
  'store/damaged': 500,
};

/** The HTTP status of a failure: 503 where the store or the host is unavailable. Spec: section 9 of the lifecycle. */
export function statusFor({ code }: Failure): number {
  return statuses[code] ?? 503;
}
