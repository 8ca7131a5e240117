import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@dramaturg/compiler';

export interface Retries {
  /** The maximum number of retries. */
  readonly times: number;
  /** Milliseconds before the first retry. */
  readonly delay: number;
}

/** The longest wait that a server may ask for, in milliseconds. */
const longestWait = 60_000;

/**
 * Repeats work that failed because a server was busy or broken. Each wait is longer than the last, or is the one that the server
 * asks for.
 *
 * @param mayRepeat false once the call has had an effect that a retry would repeat
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { times, delay }: Retries,
  signal: AbortSignal,
  mayRepeat: () => boolean = () => true,
): Promise<Result> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait = askedToWait(error) ?? Math.min(spread(delay * 2 ** failed), longestWait);
      if (failed >= times || signal.aborted || !mayRepeat()) throw error;
      if (!isPassing(error) || wait > longestWait) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
}

/** Adds jitter to a wait: conversations that are refused together do not return together. */
function spread(wait: number): number {
  return wait * (0.5 + Math.random());
}

/** Whether the same request may succeed later, unlike after a refusal or a bad request. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  if (hasCode(error, 'insufficient_quota')) return false;
  if (status !== undefined) return status === 408 || status === 429 || status >= 500;
  return isCutConnection(error);
}

export function isCutConnection(error: unknown): boolean {
  return /ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|socket hang up|other side closed|premature close/i.test(
    chainOf(error),
  );
}

/** The HTTP status of an error, which providers' clients keep in different fields. */
export function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const { status, statusCode, response } = error;
  const given = [status, statusCode, isRecord(response) ? response['status'] : undefined];
  return given.find((each) => typeof each === 'number');
}

export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && (error['code'] === code || error['type'] === code);
}

/** The messages and codes of an error and of its causes, in one string. */
export function chainOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5) return String(error);
  const { code } = error as { code?: unknown };
  const own = `${error.name} ${error.message} ${typeof code === 'string' ? code : ''}`;
  return error.cause === undefined ? own : `${own} ${chainOf(error.cause, depth + 1)}`;
}

/** The wait in milliseconds from `Retry-After`, which has seconds or a date. */
function askedToWait(error: unknown): number | undefined {
  const headers = isRecord(error) ? error['headers'] : undefined;
  const given =
    headers instanceof Headers
      ? headers.get('retry-after')
      : isRecord(headers)
        ? headers['retry-after']
        : undefined;
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const seconds = Number(given);
  const wait = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
