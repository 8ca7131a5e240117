import type { InstanceSummary } from '@dramaturg/host';
import type { ReadingDesk } from '../desk/desk.ts';
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

/** The state of a conversation in which calls are made. */
const working = 'ACTIVE';

/** The calls of listed instances that are made again. Instances with lifecycles of their own tell it with `show`. */
export async function retriesOf(
  desk: Pick<ReadingDesk, 'get'>,
  items: readonly InstanceSummary[],
): Promise<readonly Retry[]> {
  const retries: Retry[] = [];
  for (const { id, state } of items) {
    if (state !== working) continue;
    // It may have been erased since it was listed.
    const view = await desk.get(id).catch(() => undefined);
    for (const wait of view?.waits ?? []) {
      if (wait.for !== 'retry') continue;
      const { attempt, at, cause } = wait;
      retries.push({ id, attempt, at, cause });
    }
  }
  return retries;
}

/** One line for each. */
export function retryLines(retries: readonly Retry[], now: number): readonly string[] {
  return retries.map(({ id, attempt, at, cause }) => {
    const because = cause === null ? '' : ` ${cause}`;
    return `${id}: a call has failed and is made again ${relativeTime(at, now)} (attempt ${attempt}).${because}`;
  });
}
