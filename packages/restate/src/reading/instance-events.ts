import type { HostEvent } from '@dramaturg/host';
import type { StoreRecord, StoreReader } from '@dramaturg/host/store';
import { cursorAt, MessageTexts, readJournal, stateOf } from '@dramaturg/host/engine';

/** What never changes of an instance. */
export interface Origin {
  /** The ancestors; none when it has none. */
  readonly within: readonly string[];
  readonly contact?: string;
}

/** Reads events of instances from their journals. Owns the origins of the instances that were asked for. */
export class InstanceEvents {
  readonly #store: StoreReader;
  readonly #origins = new Map<string, Origin>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** The events of a range of lines, without their ancestors. Those at the times that are not wanted are left out. */
  async read(
    id: string,
    { from, end }: { readonly from: number; readonly end: number },
    isWanted: (at: number) => boolean,
  ): Promise<HostEvent[]> {
    const store = this.#store;
    const lines = await readJournal(store, id, { from, limit: end - from });
    const events: HostEvent[] = [];
    const record = await store.read(id);
    this.#originIn(id, record);
    const texts = new MessageTexts(store, id, record?.transcriptLength ?? 0);
    for (const [index, line] of lines.entries()) {
      const { at, source, event } = line as unknown as HostEvent;
      if ((source as string) === 'step' || !isWanted(at)) continue;
      const cursor = cursorAt(from + index + 1, at);
      events.push({ instance: id, at, source, event: await texts.whole(event), cursor });
    }
    return events;
  }

  async originOf(id: string): Promise<Origin> {
    return this.#origins.get(id) ?? this.#originIn(id, await this.#store.read(id));
  }

  /** The instance was erased: another one can get its id. */
  forget(id: string): void {
    this.#origins.delete(id);
  }

  #originIn(id: string, record: StoreRecord | undefined): Origin {
    const known = this.#origins.get(id);
    if (known) return known;
    const within = record ? (stateOf(record).parent?.ancestors ?? []) : [];
    const origin = record?.contact === undefined ? { within } : { within, contact: record.contact };
    this.#origins.set(id, origin);
    return origin;
  }
}

export function withAncestors(
  events: readonly HostEvent[],
  within: readonly string[],
): readonly HostEvent[] {
  return within.length > 0 ? events.map((event) => ({ ...event, within })) : events;
}
