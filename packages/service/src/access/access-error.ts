import { DramaturgError } from '@dramaturg/compiler';
import { problem, problemResponse } from '../problem.ts';

export type AccessErrorCode = `access/${string}` | `request/${string}`;

interface Details {
  /** The next thing to do. */
  readonly hint?: string;
  /** Of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that is refused before it reaches a host. The error handler of Hono answers with `getResponse()`. */
export class AccessError extends DramaturgError<AccessErrorCode> {
  override readonly name = 'AccessError';
  readonly status: number;
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: AccessErrorCode, message: string, details: Details = {}) {
    super(code, message, 'cause' in details ? { cause: details.cause } : undefined);
    this.status = status;
    this.hint = details.hint;
    this.headers = details.headers ?? {};
  }

  getResponse(): Response {
    const extra = this.hint === undefined ? {} : { hint: this.hint };
    return problemResponse(problem(this.status, this.code, this.message, extra), this.headers);
  }
}
