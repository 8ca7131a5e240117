import { type EventObject, isRecord, type Json } from '@dramaturg/compiler';
import { nextTurn } from '@dramaturg/compiler/machine';
import type {
  Committed,
  FeedEntry,
  FeedPage,
  FeedRequest,
  StoreReader,
} from '../store/contract.ts';
import { mayReferToText } from './message-texts.ts';
import type { NotedWrite } from './host-store.ts';
import type { Origin } from './origin.ts';

export type FeedStore = Pick<StoreReader, 'read' | 'journal' | 'transcript' | 'feed'>;

/** An entry of the feed with its origin, which need not be read. */
export interface KnownEntry extends FeedEntry {
  readonly origin?: Origin;
}

export interface News extends FeedPage {
  readonly entries: readonly KnownEntry[];
}

/** Reads events of all instances. */
export interface NewsReader extends FeedStore {
  /** Reads entries of the feed like `feed`. Entries from memory have an origin. */
  readonly news: (request: FeedRequest) => Promise<News>;
}

interface RecentWrite {
  readonly entry: KnownEntry & { readonly origin: Origin };
  /** The highest position that an earlier write may have. */
  readonly previous: number;
  /** The journal lines as JSON. */
  readonly text: string;
}

/** How many writes are remembered. A subscriber that is further behind reads the store. */
const writesMax = 256;
/** The largest total length of their lines, in characters. */
const charactersMax = 4_000_000;

/**
 * The last writes of the host, so that up-to-date subscribers need not read the store. Answers only with complete data: the
 * writes that follow a position without a gap, and their lines. Everything else is read from the store.
 *
 * Owns the remembered writes, in the order of their positions, each after the one before without a gap.
 */
export class RecentWrites implements Pick<NewsReader, 'news' | 'journal'> {
  readonly #store: FeedStore;
  #writes: RecentWrite[] = [];
  #characters = 0;
  /** The lines of the write that was read last. */
  #parsed: { readonly text: string; readonly lines: readonly Json[] } | undefined;
  #feed: string | undefined;
  /** The position of the last write. */
  #last = 0;

  constructor(store: FeedStore) {
    this.#store = store;
  }

  /** The position at which the feed ends. */
  get last(): number {
    return this.#last;
  }

  /** Reads where the feed ends. */
  async open(): Promise<void> {
    const { feed, last } = await this.#store.feed({ after: 0, limit: 1 });
    this.#feed = feed;
    this.#last = Math.max(this.#last, last);
  }

  /**
   * Notes that a write is stored.
   *
   * @param origin of an instance; undefined when the write is not to be remembered
   */
  note(write: NotedWrite, stored: Committed, origin: Origin | undefined): void {
    const { position } = stored;
    if (position === undefined) return;
    const previous = stored.previousPosition ?? position - 1;
    const shares = this.#writes.at(-1)?.entry.position === position;
    const isLate = !shares && position <= this.#last;
    if (origin === undefined || isLate || previous > this.#last) this.clear();
    this.#last = Math.max(this.#last, position);
    if (origin === undefined || isLate) return;
    const journal = write.journal ?? [];
    const entry = {
      position,
      id: write.id,
      kind: 'instance',
      from: stored.journalLength - journal.length,
      lines: journal.length,
      origin,
    };
    const text = JSON.stringify(journal.map((line) => withText(line, write.transcript)));
    this.#add({ entry, previous, text }, shares ? this.#writes.pop() : undefined);
  }

  clear(): void {
    this.#writes = [];
    this.#parsed = undefined;
    this.#characters = 0;
  }

  readonly news = async (request: FeedRequest): Promise<News> => {
    // The store can answer several writes with one position together: they are noted before the next turn.
    await nextTurn();
    // A write is often followed by another one, which is sent first. So subscribers are served while the store works.
    await nextTurn();
    const { after, limit, contact } = request;
    const feed = this.#feed;
    if (feed === undefined) return this.#store.feed(request);
    if (after >= this.#last) return { feed, last: after, entries: [] };
    // From the end, because most subscribers are up to date.
    const first = this.#writes.findLastIndex(({ entry }) => entry.position <= after) + 1;
    const next = this.#writes[first];
    if (next === undefined || next.previous > after) return this.#store.feed(request);
    const entries = this.#writes.slice(first).map(({ entry }) => entry);
    const wanted = entries.filter(
      ({ origin }) => contact === undefined || origin.contact === contact,
    );
    return { feed, last: this.#last, entries: wanted.slice(0, limit) };
  };

  readonly journal: FeedStore['journal'] = async (id, { from, limit }) => {
    const write = this.#writes.findLast(
      ({ entry }) => entry.id === id && entry.from <= from && from < entry.from + entry.lines,
    );
    if (write === undefined) return this.#store.journal(id, { from, limit });
    const { entry, text } = write;
    const rest = entry.from + entry.lines - from;
    if (limit > rest) return this.#store.journal(id, { from, limit });
    // A long write is read in several pages.
    if (this.#parsed?.text !== text)
      this.#parsed = { text, lines: JSON.parse(text) as readonly Json[] };
    const { lines } = this.#parsed;
    return lines.slice(from - entry.from, from - entry.from + limit);
  };

  #add(write: RecentWrite, shared: RecentWrite | undefined): void {
    const joined = shared ? joinedWith(shared, write) : write;
    if (joined === undefined) return this.clear();
    this.#characters += joined.text.length - (shared?.text.length ?? 0);
    this.#writes.push(joined);
    while (this.#writes.length > writesMax || this.#characters > charactersMax)
      this.#characters -= this.#writes.shift()!.text.length;
  }
}

/** Adds the text of its message to a line, if the write has it: then the transcript need not be searched. */
function withText(line: Json, transcript: readonly Json[] = []): Json {
  const event = isRecord(line) ? line['event'] : undefined;
  if (!isRecord(event) || !mayReferToText(event as unknown as EventObject)) return line;
  const said = transcript.findLast((each) => isRecord(each) && each['id'] === event['id']);
  if (!isRecord(said)) return line;
  return { ...(line as object), event: { ...event, text: said['text'] } } as unknown as Json;
}

/** @returns undefined when the lines do not follow each other */
function joinedWith(one: RecentWrite, next: RecentWrite): RecentWrite | undefined {
  const { entry } = one;
  if (entry.id !== next.entry.id || entry.from + entry.lines !== next.entry.from) return undefined;
  return {
    ...one,
    entry: { ...entry, lines: entry.lines + next.entry.lines },
    text: `${one.text.slice(0, -1)},${next.text.slice(1)}`,
  };
}
