import type { ListPosition } from '../check.ts';
import type { IndexEntry } from './index-entry.ts';
import { byAge } from './positions.ts';
import { SortedList } from './sorted-list.ts';

/** A record in a queue. Its position is the time since when it waits, in place of its creation. */
interface QueuedEntry extends ListPosition {
  readonly entry: IndexEntry;
}

/** The records of each queue of people's work, those that have waited longest first. */
export class Queues {
  readonly #queues = new Map<string, SortedList<ListPosition>>();

  get(queue: string): SortedList<ListPosition> {
    return this.#queues.get(queue) ?? new SortedList(byAge);
  }

  add(entry: IndexEntry): void {
    const { queue } = entry.attention;
    if (queue === undefined) return;
    const list = this.get(queue);
    list.add(queuedEntry(entry));
    this.#queues.set(queue, list);
  }

  /** Has to be called before the entry changes: it is found by its present position. */
  remove(entry: IndexEntry): void {
    const { queue } = entry.attention;
    if (queue !== undefined) this.get(queue).remove(queuedEntry(entry));
  }
}

/** The entry at a position of a queue. */
export function entryOf(position: ListPosition): IndexEntry {
  return (position as QueuedEntry).entry;
}

function queuedEntry(entry: IndexEntry): QueuedEntry {
  return { createdAt: entry.attention.since!, id: entry.id, entry };
}
