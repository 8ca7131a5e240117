import type { InstanceSummary } from '@dramaturg/host';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { relativeTime } from './time.ts';

/** A failed call of an instance that is repeated. */
export interface Retry {
  readonly id: string;
  /** The number of the next attempt. */
  readonly attempt: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Why the last attempt has failed. */
  readonly cause: string | null;
}

/** Errors of an instance that was erased after it was listed, or that is damaged, which the list itself shows. */
const unreadable: readonly unknown[] = ['host/unknown-instance', 'host/damaged', 'store/damaged'];

export async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (unreadable.includes((error as { readonly code?: unknown }).code)) return undefined;
    throw error;
  }
}

/** The state of a conversation in which calls are made. */
const working = 'ACTIVE';

/** The repeated calls of listed instances. For instances with their own lifecycles, `show` prints them. */
export async function retriesOf(
  gateway: Pick<ReadingGateway, 'get'>,
  items: readonly InstanceSummary[],
): Promise<readonly Retry[]> {
  const listed = items.filter(({ state }) => state === working);
  const found = listed.map(async ({ id }) => {
    const { waits } = (await unlessUnreadable(gateway.get(id))) ?? { waits: [] };
    return waits.flatMap((wait) =>
      wait.for === 'retry' ? [{ id, attempt: wait.attempt, at: wait.at, cause: wait.cause }] : [],
    );
  });
  return (await Promise.all(found)).flat();
}

/** One line for each retry. */
export function retryLines(retries: readonly Retry[], now: number): readonly string[] {
  return retries.map(({ id, attempt, at, cause }) => {
    const because = cause === null ? '' : ` ${cause}`;
    return `${id}: a call has failed and is made again ${relativeTime(Math.max(at, now), now)} (attempt ${attempt}).${because}`;
  });
}
