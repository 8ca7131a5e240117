import { DramaturgError, InputError, LinkError } from '@dramaturg/compiler';
import { type Answer, HostError, StoreError } from '@dramaturg/host';
import { type Problem, problem } from './problem.ts';

export interface RequestErrorOptions {
  /** The next step for the user. */
  readonly hint?: string | undefined;
  /** The problems in the request, with JSON Pointers. */
  readonly errors?: Problem['errors'];
  /** The status of the response, if the code does not determine it. */
  readonly status?: number;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error in a request, which its sender can correct. */
export class RequestError<Code extends string = string> extends DramaturgError<Code> {
  override readonly name: string = 'RequestError';
  readonly hint: string | undefined;
  readonly errors: Problem['errors'];
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, options: RequestErrorOptions = {}) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.hint = options.hint;
    this.errors = options.errors;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** A failure that a host in another process has reported. */
export class RemoteError extends DramaturgError {
  override readonly name = 'RemoteError';
  readonly problem: Problem;

  constructor(reported: Problem) {
    super(reported.code, reported.detail);
    this.problem = reported;
  }
}

/** A host in another process cannot be reached, or does not answer. */
export class UnreachableError extends DramaturgError<'host/unavailable'> {
  override readonly name = 'UnreachableError';
  readonly hint: string;

  constructor(message: string, hint: string, options?: { readonly cause?: unknown }) {
    super('host/unavailable', message, options);
    this.hint = hint;
  }
}

/** An instance has not accepted an event. */
export class EventRefusedError extends DramaturgError {
  override readonly name = 'EventRefusedError';
  readonly answer: Answer & { readonly accepted: false };
  /** The instance, if the event was addressed to a contact. */
  readonly instance: string | undefined;

  constructor(answer: Answer & { readonly accepted: false }, instance?: string) {
    super(answer.code, answer.because);
    this.answer = answer;
    this.instance = instance;
  }
}

/** The problem for an error that a person or the store has caused. @returns undefined for a bug in Dramaturg */
export function problemIn(error: unknown): Problem | undefined {
  if (error instanceof RemoteError) return error.problem;
  if (error instanceof EventRefusedError) return refusal(error);
  if (error instanceof HostError || error instanceof StoreError) return plain(error);
  if (error instanceof InputError)
    return problem(400, error.code, error.message, {
      errors: error.problems.map((detail) => ({ path: '/input', detail })),
    });
  if (error instanceof LinkError) return problem(400, 'definition/not-linked', error.message);
  if (error instanceof UnreachableError)
    return problem(503, error.code, error.message, { hint: error.hint });
  if (!(error instanceof RequestError)) return undefined;
  const { message, hint, errors, status } = error;
  // A service reports the mistake as one of the request, not of a command.
  const code = error.code === 'command/wrong-call' ? 'request/refused' : error.code;
  return problem(status ?? statusOf(code, 400), code, message, {
    ...(hint !== undefined && { hint }),
    ...(errors !== undefined && { errors }),
  });
}

function plain({ code, message }: DramaturgError): Problem {
  return problem(statusOf(code, 503), code, message);
}

function refusal({ answer, instance }: EventRefusedError): Problem {
  const { because, code, state, accepts, retryAfterMs } = answer;
  return problem(retryAfterMs === undefined ? 409 : 429, code, because, {
    refused: {
      ...(instance !== undefined && { instance }),
      state,
      accepts: [...accepts],
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  });
}

const statuses: Readonly<Record<string, number>> = {
  'host/unknown-instance': 404,
  'host/unknown-checkpoint': 404,
  'host/unknown-decision': 404,
  'request/unknown': 404,
  'request/method': 405,
  'request/too-large': 413,
  'request/media-type': 415,
  'store/unknown': 404,
  'host/unknown-definition': 400,
  'host/unknown-cursor': 410,
  'host/exists': 409,
  'host/instances-running': 409,
  'host/no-draft': 409,
  'host/cannot-erase': 409,
  'store/exists': 409,
  'host/bad-request': 400,
  'host/unknown-option': 400,
  'host/message-refused': 409,
  'store/bad-request': 400,
  'host/damaged': 500,
  'store/damaged': 500,
};

/** Whether the host or its store has failed, rather than refused the request. */
export function isFailureOfHost({ status }: Problem): boolean {
  return status >= 500;
}

/** Spec: section 9 of the lifecycle; docs/service.md#errors */
function statusOf(code: string, otherwise: number): number {
  return statuses[code] ?? otherwise;
}
