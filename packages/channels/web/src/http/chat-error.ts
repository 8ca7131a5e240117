import { DramaturgError } from '@dramaturg/compiler';
import type { ChatProblem } from '../protocol.ts';

interface ChatErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that is refused, with the status of its response. */
export class ChatError extends DramaturgError {
  override readonly name = 'ChatError';
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    { retryAfterMs, cause }: ChatErrorOptions = {},
  ) {
    super(code, message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The response to a request that is refused. Spec: RFC 9457 */
export function problemResponse({ status, code, message, retryAfterMs }: ChatError): Response {
  const body: ChatProblem = {
    status,
    code,
    detail: message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfterMs !== undefined && { 'retry-after': `${Math.ceil(retryAfterMs / 1_000)}` }),
    },
  });
}
