import { DramaturgError } from '@dramaturg/compiler';
import { HostError } from '@dramaturg/host';
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
  if (isOfAnotherServer(error)) {
    return new UsageError(
      error.message,
      `Correct --restate-admin: ${admin} has to be where Restate is administered, by default its port 9070.`,
      exitCodes.storeUnusable,
      'host/unavailable',
    );
  }
  if (error instanceof HostError && error.message.startsWith('Restate refused registering')) {
    return new UsageError(
      error.message,
      'Correct --advertise, or --listen: Restate has to reach the handlers there.',
      exitCodes.storeUnusable,
      error.code,
    );
  }
  if (!isWithoutHandlers(error)) return undefined;
  return new UsageError(
    new WithoutHandlersError({ ingress, admin, namespace }).message,
    `"dramaturg serve ${wordsFor(store)}" serves them. Or correct --namespace.`,
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
    if (
      isFailedFetch(each) ||
      /^E(CONN|HOST|NET|AI_|NOTFOUND|PIPE|TIMEDOUT)|^UND_ERR_/.test(codeOf(each))
    )
      return true;
  return false;
}

/** Some failures have no code, such as that of a port that `fetch` refuses to call. */
function isFailedFetch(error: Error): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}

/** The queries of commands are valid, so a server that refuses them is not Restate. */
function isOfAnotherServer(error: unknown): error is HostError {
  return (
    error instanceof HostError &&
    /^Restate refused asking|does not answer as a Restate server does/.test(error.message)
  );
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // One connection was tried for each address of the host.
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? codeOf(error.errors[0])
    : '';
}

/** Restate answers with this status for a service that is not registered. */
function isWithoutHandlers(error: unknown): boolean {
  if (error instanceof WithoutHandlersError) return true;
  return error instanceof Error && (error as { readonly status?: unknown }).status === 404;
}

/** No handlers of a namespace are registered with a Restate. Commands add how to serve them: see `explainRestate`. */
export class WithoutHandlersError extends DramaturgError {
  override readonly name = 'WithoutHandlersError';

  constructor({ ingress, namespace }: RestateLocation) {
    super(
      'host/not-running',
      `Restate at ${ingress} has no handlers of the namespace "${namespace}".`,
    );
  }
}
