import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@dramaturg/compiler';

export interface Retries {
  /** How often at most. */
  readonly times: number;
  /** Milliseconds before the first one. */
  readonly delay: number;
}

/** A server may ask for patience, but not for more than this. In milliseconds. */
const longestWait = 60_000;

/**
 * Repeats what failed because a server was busy or broken, each time after a longer wait, or after the one that the
 * server asks for.
 *
 * @param mayRepeat false once the call has had an effect that a repetition would double
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

/** Many conversations that are refused at once do not come back at once. */
function spread(wait: number): number {
  return wait * (0.5 + Math.random());
}

/** Whether the same request may well succeed later. A refusal and a bad request stay what they are. */
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

/** The status of HTTP, which providers' clients keep in different places. */
export function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const { status, statusCode, response } = error;
  const given = [status, statusCode, isRecord(response) ? response['status'] : undefined];
  return given.find((each) => typeof each === 'number');
}

export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && (error['code'] === code || error['type'] === code);
}

/** The messages and codes of an error and of what caused it, in one text. */
export function chainOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5) return String(error);
  const { code } = error as { code?: unknown };
  const own = `${error.name} ${error.message} ${typeof code === 'string' ? code : ''}`;
  return error.cause === undefined ? own : `${own} ${chainOf(error.cause, depth + 1)}`;
}

/** Milliseconds, as `Retry-After` says: in seconds, or as a date. */
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
