import { limitReached } from '../flow/recovery.ts';
import type { Failure } from '../flow/run.ts';

/** How often the cause of a cause is looked at for what was thrown in the first place. */
const deepestCause = 5;

/**
 * The failure that a port has thrown. An error with a text in `error` names itself, with its own `cause`; any other is
 * `States.TaskFailed` with its message. Agent 8 §Custom errors, Amazon #errors. A call that a limit of the user's does not
 * allow is `States.LimitReached`: no definition can name itself past it.
 */
export function failureOf(thrown: unknown): Failure {
  if ((thrown as { code?: unknown } | null)?.code === 'port/limit-reached') {
    return { error: limitReached, cause: messageOf(thrown) };
  }
  let at = thrown;
  for (let depth = 0; depth < deepestCause && at instanceof Object; depth += 1) {
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
