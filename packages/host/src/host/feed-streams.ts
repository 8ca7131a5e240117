import type { HostEvent } from '../instance/event.ts';
import type { Committed } from '../store/contract.ts';
import {
  type EventFilter,
  isOfTypes,
  slowSubscriber,
  UnreadEvents,
  unreadMax,
} from './event-streams.ts';
import type { NotedWrite } from './host-store.ts';
import type { Origin } from './origin.ts';
import { type FeedStore, type KnownEntry, type NewsReader, RecentWrites } from './recent-writes.ts';
import type { PartOrigin, ReplyPart } from './reply-parts.ts';
import { nextTurn } from '@dramaturg/compiler/machine';
import { HostError } from '../errors.ts';
import { feedCursorAt, type FeedPosition, feedPositionOf } from './event-cursor.ts';
import { FeedEvents } from './feed-events.ts';
import { StoredStream } from './stored-stream.ts';

/** An instance, which may have a contact. */
export interface Addressed {
  readonly contact?: string | undefined;
}

/** Owns the subscriptions to the events of all instances and of contacts, and their shared reads. */
export class FeedStreams {
  readonly #recent: RecentWrites;
  readonly #reads: SharedReads;
  readonly #streams = new Map<FeedStream, EventFilter>();

  constructor(store: FeedStore) {
    this.#recent = new RecentWrites(store);
    this.#reads = new SharedReads(store, this.#recent);
  }

  /** Reads where the feed ends. Has to be called before the first subscription. */
  async open(): Promise<void> {
    await this.#recent.open();
  }

  /**
   * Notes that a write is stored.
   *
   * @param origin of an instance; undefined when it is not known
   */
  noteStored(write: NotedWrite, stored: Committed, origin: Origin | undefined): void {
    this.#recent.note(write, stored, this.#streams.size > 0 ? origin : undefined);
  }

  /** @param parts the replies that are being made */
  subscribe(
    filter: EventFilter,
    parts: readonly ReplyPart[] = [],
  ): AsyncIterableIterator<HostEvent> {
    const onEnd = () => this.#streams.delete(stream);
    const options = { store: this.#reads, filter, since: this.#recent.last, onEnd };
    const stream: FeedStream = new FeedStream(options);
    if (!filter.signal?.aborted) this.#streams.set(stream, filter);
    for (const part of parts) if (isWanted(part, filter)) stream.pushPart(part.event);
    return stream;
  }

  /**
   * Gives events to subscribers. Those with a cursor are stored, and are read from the store.
   *
   * @param instance undefined when the instance is not known
   */
  publish(events: readonly HostEvent[], instance: Addressed | undefined): void {
    this.#reads.renew();
    for (const [stream, { contact }] of this.#streams) {
      if (contact !== undefined && instance !== undefined && instance.contact !== contact) continue;
      stream.wake();
      if (contact !== undefined && instance === undefined) continue;
      for (const event of events) if (event.cursor === undefined) stream.push(event);
    }
  }

  publishPart(part: ReplyPart): void {
    for (const [stream, filter] of this.#streams)
      if (isWanted(part, filter)) stream.pushPart(part.event);
  }

  dropPart(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    for (const stream of this.#streams.keys()) stream.dropPart(origin);
  }

  erased(id: string): void {
    this.#recent.clear();
    this.#reads.renew();
    for (const stream of this.#streams.keys()) stream.erased(id);
  }

  /** Ends all iterations. Live ones first get all stored events. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#streams.keys(), (stream) => stream.endWithHost()));
  }
}

function isWanted({ contact }: ReplyPart, filter: EventFilter): boolean {
  return filter.parts === true && (filter.contact === undefined || filter.contact === contact);
}

/** How many answers are kept. Subscribers at different positions share nothing. */
const answersMax = 64;

/**
 * Reads of a store that subscribers share. All subscribers that are up to date ask for the same after each write, so a thousand
 * of them cost the store one read.
 */
class SharedReads implements NewsReader {
  readonly #store: FeedStore;
  readonly #recent: Pick<NewsReader, 'news' | 'journal'>;
  readonly #answers = new Map<string, Promise<unknown>>();

  /** @param recent answers recent reads from memory */
  constructor(store: FeedStore, recent: Pick<NewsReader, 'news' | 'journal'>) {
    this.#store = store;
    this.#recent = recent;
  }

  readonly read: NewsReader['read'] = (id) =>
    this.#shared(['read', id], () => this.#store.read(id));

  readonly journal: NewsReader['journal'] = (id, range) =>
    this.#shared(['journal', id, range], () => this.#recent.journal(id, range));

  readonly transcript: NewsReader['transcript'] = (id, range) =>
    this.#shared(['transcript', id, range], () => this.#store.transcript(id, range));

  readonly feed: NewsReader['feed'] = (request) =>
    this.#shared(['feed', request], () => this.#store.feed(request));

  readonly news: NewsReader['news'] = (request) =>
    this.#shared(['news', request], () => this.#recent.news(request));

  /** Forgets all answers: the store has changed. */
  renew(): void {
    this.#answers.clear();
  }

  #shared<Answer>(question: readonly unknown[], ask: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    if (this.#answers.size === answersMax) this.#answers.clear();
    this.#answers.set(key, answer);
    return answer;
  }
}

interface FeedStreamOptions {
  readonly store: NewsReader;
  /** The filter, which has no `instance`. */
  readonly filter: EventFilter;
  /** The position in the feed where the stream begins without `after`. */
  readonly since: number;
  readonly onEnd: () => void;
}

/** How many entries of the feed are read at once. */
const pageLength = 100;

/**
 * The events of all instances, or of a contact's instances, in the order in which the store committed them. Events that are not
 * stored are kept until the subscriber takes them, after earlier stored events.
 *
 * Owns the position in the feed, and the unread events that are not stored. States: open → ending, when it gives the stored
 * events and then ends → ended.
 */
class FeedStream extends StoredStream {
  readonly #options: FeedStreamOptions;
  readonly #start: FeedPosition;
  readonly #reader: FeedEvents;
  readonly #unstored = new UnreadEvents();
  /** The error of a subscriber that does not take its events. */
  #slow: HostError | undefined;
  #isEnding = false;
  /** Events that were read when the host stopped. */
  #rest: Promise<HostEvent[]> | undefined;

  constructor(options: FeedStreamOptions) {
    super(options);
    const { after } = options.filter;
    this.#options = options;
    this.#start = after === undefined ? { position: options.since } : feedPositionOf(after);
    this.#reader = new FeedEvents(options.store);
  }

  /** Adds an event that is not stored, for a live stream. After a cursor, all events are stored ones. */
  push(event: HostEvent): void {
    const { after, types } = this.filter;
    if (this.isOver || after !== undefined || !isOfTypes(event.event.type, types)) return;
    this.#slow ??= this.#unstored.add(event);
    this.wake();
  }

  /** Drops the events of an erased instance. */
  erased(id: string): void {
    this.#reader.erased(id);
  }

  /**
   * Reads all that the subscriber of a live stream has not read yet, because the store will be closed. The reader of a stream
   * with a cursor continues from its last cursor later.
   */
  async endWithHost(): Promise<void> {
    if (this.filter.after !== undefined) return this.end();
    this.#isEnding = true;
    this.wake();
    this.#rest ??= this.#readRest();
    await this.#rest.catch(() => {});
  }

  override async next(): Promise<IteratorResult<HostEvent, undefined>> {
    if (this.#rest === undefined) return super.next();
    const value = (await this.#rest).shift();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async #readRest(): Promise<HostEvent[]> {
    const rest: HostEvent[] = [];
    for (;;) {
      // Pending calls of the subscriber are answered first.
      const { done, value } = await super.next();
      if (done) return rest;
      if (rest.push(value) > unreadMax.events) throw slowSubscriber(rest.length);
    }
  }

  protected override async *all(): AsyncGenerator<HostEvent, void> {
    const { store } = this.#options;
    const { contact } = this.filter;
    await this.#check();
    // The rest of the cursor's write comes first.
    let after = this.#start.lines === undefined ? this.#start.position : this.#start.position - 1;
    while (!this.isOver) {
      this.hasNews = false;
      const parts = this.parts.ready();
      const { count } = this.#unstored;
      const request = { after, limit: pageLength, ...(contact === undefined ? {} : { contact }) };
      const { feed, last, entries } = await store.news(request);
      this.#reader.begin();
      for (const entry of entries) {
        yield* this.#eventsOf(entry, feed);
        if (this.isOver) return;
        after = entry.position;
      }
      if (entries.length === pageLength) {
        await nextTurn();
        continue;
      }
      after = Math.max(after, last);
      if (this.#slow) throw this.#slow;
      for (let taken = 0; taken < count; taken += 1) {
        const event = this.#unstored.take();
        if (event) yield event;
        if (this.isOver) return;
      }
      for (const part of this.parts.take(parts)) {
        yield part;
        if (this.isOver) return;
      }
      if (this.#isEnding && !this.hasNews) return;
      await this.news();
    }
  }

  async *#eventsOf(entry: KnownEntry, feed: string): AsyncGenerator<HostEvent, void> {
    if (entry.kind !== 'instance') return;
    const { position, lines = 0 } = this.#start;
    const from = entry.position === position ? Math.max(entry.from, lines) : entry.from;
    const { types } = this.filter;
    for await (const { count, event } of this.#reader.eventsOf(entry, from, types)) {
      yield { ...event, cursor: feedCursorAt(feed, entry.position, count, event.at) };
      if (this.isOver) return;
    }
  }

  /** Checks that the feed has the event of the cursor, unless the event was erased. */
  async #check(): Promise<void> {
    const { feed, position, lines, at } = this.#start;
    if (lines === undefined && feed === undefined) return;
    const page = await this.#options.store.feed({ after: position - 1, limit: 1 });
    if (page.feed !== feed || position > page.last) throw unknownCursor();
    if (lines === undefined) return;
    const [entry] = page.entries;
    if (entry?.position !== position) return;
    const line = await this.#reader.timeOf(entry, lines);
    if (line !== undefined && line !== at) throw unknownCursor();
  }
}

function unknownCursor(): HostError {
  return new HostError(
    'host/unknown-cursor',
    'The store does not have the event of this cursor: it belongs to another store, or to one that was restored from a backup. Follow the instances after "beginning".',
  );
}
