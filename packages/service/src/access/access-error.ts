import { problemIn, RequestError, type RequestErrorOptions } from '../failure.ts';
import { problemResponse } from '../problem.ts';

export type AccessErrorCode = `access/${string}` | `request/${string}`;

/** A request that is refused before it reaches a host. */
export class AccessError extends RequestError<AccessErrorCode> {
  override readonly name = 'AccessError';
  override readonly status: number;

  constructor(
    status: number,
    code: AccessErrorCode,
    message: string,
    options: Omit<RequestErrorOptions, 'status'> = {},
  ) {
    super(code, message, { ...options, status });
    this.status = status;
  }

  getResponse(): Response {
    return problemResponse(problemIn(this)!, this.headers);
  }
}
