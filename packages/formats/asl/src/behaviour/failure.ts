import { limitReached } from '../flow/retry.ts';
import type { Failure } from '../flow/run.ts';

/** How deep a chain of causes is searched for the original error. */
const causesMax = 5;

/**
 * The failure in an error of a port. An error with a string in `error` has its own name and `cause`; any other is
 * `States.TaskFailed` with its message. Agent 8 §Custom errors, Amazon #errors. A call that exceeds a limit of the host
 * is always `States.LimitReached`, and a call that the host has given up is `States.Timeout`.
 */
export function failureOf(thrown: unknown): Failure {
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code === 'port/limit-reached') return { error: limitReached, cause: messageOf(thrown) };
  if (code === 'port/timed-out') return { error: 'States.Timeout', cause: messageOf(thrown) };
  let at = thrown;
  for (let depth = 0; depth < causesMax && at instanceof Object; depth += 1) {
    const { error, cause } = at as { error?: unknown; cause?: unknown };
    if (typeof error === 'string') {
      return { error, cause: typeof cause === 'string' ? cause : messageOf(at) };
    }
    at = cause;
  }
  const first = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return { error: 'States.TaskFailed', cause: messageOf(first) };
}

function messageOf(thrown: unknown): string | null {
  const { message } = Object(thrown) as { message?: unknown };
  if (typeof message === 'string') return message;
  return typeof thrown === 'string' ? thrown : null;
}
