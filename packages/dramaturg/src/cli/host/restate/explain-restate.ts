import { exitCodes, UsageError } from '../../usage-error.ts';
import { type RestateLocation, wordsFor } from './location.ts';

/** Turns a failure to reach Restate, or handlers on it, into an error with the next thing to do. */
export function explainRestate(
  error: unknown,
  store: string,
  { ingress, admin, namespace }: RestateLocation,
): UsageError | undefined {
  if (isUnreachable(error)) {
    return new UsageError(
      `Restate does not answer at ${ingress} or ${admin}.`,
      'Start restate-server, or correct --restate and --restate-admin.',
      exitCodes.storeUnusable,
      'host/unavailable',
    );
  }
  if (!isWithoutHandlers(error)) return undefined;
  return new UsageError(
    `Restate at ${ingress} has no handlers of the namespace "${namespace}".`,
    `"dramaturg serve ${wordsFor(store)}" serves them.`,
    exitCodes.storeUnusable,
    'host/not-running',
  );
}

/** Errors of `fetch` have the error of the connection as their cause. */
function isUnreachable(error: unknown): boolean {
  for (
    let each = error, depth = 0;
    each instanceof Error && depth < 5;
    each = each.cause, depth += 1
  )
    if (/^E(CONN|HOST|NET|AI_|NOTFOUND|PIPE|TIMEDOUT)|^UND_ERR_/.test(codeOf(each))) return true;
  return false;
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // One connection was tried for each address of the host.
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? codeOf(error.errors[0])
    : '';
}

/** Restate answers so for a service that nobody has registered. */
function isWithoutHandlers(error: unknown): boolean {
  return error instanceof Error && (error as { readonly status?: unknown }).status === 404;
}
