import { isRecord, type Json } from '@dramaturg/compiler';
import type { InstanceState } from '../instance/state.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { pagesOf } from '../store/pages.ts';

/** The last instance that has spoken with a contact, and what it was told. */
export interface Predecessor {
  readonly id: string;
  readonly state: string;
  /** Ids of the latest messages that it has taken. */
  readonly seen: readonly string[];
}

/** Of instances that ended without having been told anything, at most so many are passed over. */
const mostSilent = 5;

/**
 * Who has taken messages of a contact last, and has ended. A channel that repeats a message, because it has not heard that
 * it was taken, means that instance, whoever holds the contact by then.
 */
export async function predecessorOf(
  contact: string,
  store: Store,
): Promise<Predecessor | undefined> {
  let latest: RecordSummary[] = [];
  const ended = { contact, kind: 'instance', ended: true };
  for await (const items of pagesOf((page) => store.list(ended, page)))
    latest = [...items, ...latest]
      .toSorted((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, mostSilent);
  for (const { id, status: state } of latest) {
    const record = await store.read(id);
    const seen = record ? seenIn(record.snapshot) : [];
    if (seen.length > 0) return { id, state, seen };
  }
  return undefined;
}

/** As lifecycles keep it that count messages. */
function seenIn(snapshot: Json): readonly string[] {
  const { lifecycle } = snapshot as unknown as InstanceState;
  const { context } = Object(lifecycle.snapshot) as { readonly context?: unknown };
  const seen = isRecord(context) ? context['seen'] : undefined;
  return Array.isArray(seen) ? seen.filter((id) => typeof id === 'string') : [];
}
