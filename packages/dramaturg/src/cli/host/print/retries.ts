import type { InstanceSummary } from '@dramaturg/host';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { relativeTime } from './time.ts';

/** A call of an instance that has failed and is made again. */
export interface Retry {
  readonly id: string;
  /** Of the next attempt. */
  readonly attempt: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Why the last one has failed. */
  readonly cause: string | null;
}

/** It was erased since it was listed, or is damaged, which the list tells itself. */
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

/** The calls of listed instances that are made again. Instances with lifecycles of their own tell it with `show`. */
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

/** One line for each. */
export function retryLines(retries: readonly Retry[], now: number): readonly string[] {
  return retries.map(({ id, attempt, at, cause }) => {
    const because = cause === null ? '' : ` ${cause}`;
    return `${id}: a call has failed and is made again ${relativeTime(Math.max(at, now), now)} (attempt ${attempt}).${because}`;
  });
}
