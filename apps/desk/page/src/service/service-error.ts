/** The body of an error response: RFC 9457. Spec: docs/service.md#errors */
export interface Problem {
  readonly detail: string;
  readonly code: string;
  readonly hint?: string;
}

/** The service refused a request. `status` is 0 when it could not be reached: then `code` is `connection/lost`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ detail, code, hint }: Problem, status: number, options?: ErrorOptions) {
    super(detail, options);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}
