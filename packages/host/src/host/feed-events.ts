import { HostError } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import { StoreError } from '../store/errors.ts';
import { type EventFilter, isOfTypes } from './event-streams.ts';
import { MessageTexts } from './message-texts.ts';
import type { FeedStore, KnownEntry } from './recent-writes.ts';

/** The facts about an instance that its events need besides their journal lines. */
interface Known {
  readonly within: readonly string[] | undefined;
  readonly texts: MessageTexts;
}

/** How many lines are read at once. */
const pageLength = 100;
/** How many instances are remembered. Each takes some hundred bytes. */
const knownMax = 10_000;

/**
 * Reads the events of entries of the feed. An instance that was erased since the entry was read, or that is damaged, is left out.
 *
 * Owns a cache of the instances that it has read last.
 */
export class FeedEvents {
  readonly #store: FeedStore;
  /** Instances by id, the least recently used first. */
  readonly #known = new Map<string, Known>();
  /** Instances that were erased since a page of the feed was read. */
  readonly #erased = new Set<string>();

  constructor(store: FeedStore) {
    this.#store = store;
  }

  /** Begins a page of the feed. */
  begin(): void {
    this.#erased.clear();
  }

  erased(id: string): void {
    this.#erased.add(id);
    this.#known.delete(id);
  }

  /**
   * The events of an entry, each with the number of journal lines up to it.
   *
   * @param from the index of the first journal line
   */
  async *eventsOf(
    entry: KnownEntry,
    from: number,
    types: EventFilter['types'],
  ): AsyncGenerator<{ readonly count: number; readonly event: HostEvent }, void> {
    const { id } = entry;
    const end = entry.from + entry.lines;
    const known = await unlessGone(() => this.#knownOf(entry));
    if (known === undefined) return;
    for (let first = from; first < end; first += pageLength) {
      const lines = await this.#lines(id, first, Math.min(pageLength, end - first));
      for (const [index, { at, source, event }] of lines.entries()) {
        if ((source as string) === 'step' || !isOfTypes(event.type, types)) continue;
        const whole = await unlessGone(() => known.texts.whole(event));
        if (whole === undefined || this.#erased.has(id)) return;
        const { within } = known;
        yield {
          count: first + index + 1,
          event: { instance: id, ...(within ? { within } : {}), at, source, event: whole },
        };
      }
    }
    known.texts.rest();
  }

  /** The time of a line of an entry, as text; undefined when the instance is gone. */
  async timeOf({ id, from, lines }: KnownEntry, count: number): Promise<string | undefined> {
    if (count <= from || count > from + lines) return 'none';
    const [line] = await this.#lines(id, count - 1, 1);
    return line && String(line.at);
  }

  async #lines(id: string, from: number, limit: number): Promise<readonly HostEvent[]> {
    const lines = await unlessGone(() => readJournal(this.#store, id, { from, limit }));
    return (lines ?? []) as unknown as readonly HostEvent[];
  }

  async #knownOf(entry: KnownEntry): Promise<Known | undefined> {
    const { id } = entry;
    const known = this.#known.get(id) ?? (await this.#read(entry));
    if (known === undefined) return undefined;
    this.#known.delete(id);
    this.#known.set(id, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= knownMax) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  async #read({ id, from, origin }: KnownEntry): Promise<Known | undefined> {
    const texts = new MessageTexts(this.#store, id, from === 0 ? 0 : undefined);
    if (origin) return { within: origin.within, texts };
    const record = await this.#store.read(id);
    return record && { within: stateOf(record).parent?.ancestors, texts };
  }
}

/** @returns undefined when the record was erased, or is damaged */
async function unlessGone<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    const isGone = error instanceof StoreError && gone.includes(error.code);
    if (!isGone && !(error instanceof HostError && error.code === 'host/damaged')) throw error;
    return undefined;
  }
}

const gone: readonly string[] = ['store/unknown', 'store/damaged'];
