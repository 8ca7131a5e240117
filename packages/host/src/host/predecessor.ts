import { isRecord } from '@dramaturg/compiler';
import type { InstanceState } from '../instance/state.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { readPages } from '../store/pages.ts';
import { contextIn } from '../xstate/persisted-snapshot.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

/** The contact's most recently ended instance that received messages. */
export interface Predecessor {
  readonly id: string;
  readonly state: string;
  /** Ids of the last messages that it has received. */
  readonly seen: readonly string[];
}

/** At most so many ended instances without messages are skipped. */
const skippedMax = 5;

/**
 * Finds the contact's most recently ended instance that received messages. When a channel repeats a message because it did
 * not get the answer, the message was for that instance, even if another one holds the contact now.
 */
export async function predecessorOf(
  contact: string,
  store: Store,
): Promise<Predecessor | undefined> {
  let latest: RecordSummary[] = [];
  const ended = { contact, kind: 'instance', ended: true };
  for await (const items of readPages((page) => store.list(ended, page)))
    latest = [...items, ...latest]
      .toSorted((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, skippedMax);
  for (const { id, status: state } of latest) {
    const record = await store.read(id);
    const seen = record ? receivedIds(stateOf(record)) : [];
    if (seen.length > 0) return { id, state, seen };
  }
  return undefined;
}

/** The ids of the last messages that an instance has received: its lifecycle keeps them in its context. */
export function receivedIds({ lifecycle }: InstanceState): readonly string[] {
  const context = contextIn(lifecycle.snapshot);
  const seen = isRecord(context) ? context['seen'] : undefined;
  return Array.isArray(seen) ? seen.filter((id) => typeof id === 'string') : [];
}
