import { nextTurn } from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import type { FeedEntry } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { feedCursorAt, type FeedPosition, feedPositionOf } from './event-cursor.ts';
import { type EventFilter, isOfTypes, slowSubscriber, unreadMax } from './event-streams.ts';
import { FeedEvents, type FeedStore } from './feed-events.ts';
import type { PartOrigin } from './reply-parts.ts';
import { UnreadParts } from './unread-parts.ts';
import { UnstoredEvents } from './unstored-events.ts';

export interface FeedStreamOptions {
  readonly store: FeedStore;
  /** Without `instance`. */
  readonly filter: EventFilter;
  /** The position in the feed where the stream begins without `after`. */
  readonly since: number;
  readonly onEnd: () => void;
}

type Result = IteratorResult<HostEvent, undefined>;

/** How many entries of the feed are read at once. */
const pageLength = 100;

/**
 * The events of all instances, or of those of a contact, in the order in which the store committed them. Stored events are read
 * from the store, as fast as the subscriber takes them: none is missing, none comes twice, and a slow subscriber takes no memory.
 * Events that are not stored are kept until the subscriber takes them, after the events that were stored before.
 *
 * Owns the position in the feed, and the unread events that are not stored. States: open → ending, when it gives what is stored and
 * then ends → ended.
 */
export class FeedStream implements AsyncIterableIterator<HostEvent> {
  readonly #options: FeedStreamOptions;
  readonly #start: FeedPosition;
  readonly #reader: FeedEvents;
  readonly #events: AsyncGenerator<HostEvent, undefined>;
  readonly #parts = new UnreadParts();
  readonly #unstored = new UnstoredEvents();
  #isOver: boolean;
  #isEnding = false;
  /** The feed may have entries that were not read. */
  #hasNews = true;
  #wake = (): void => {};
  /** What was read when the host stopped. */
  #rest: Promise<HostEvent[]> | undefined;

  constructor(options: FeedStreamOptions) {
    const { after, signal } = options.filter;
    this.#options = options;
    this.#start = after === undefined ? { position: options.since } : feedPositionOf(after);
    this.#reader = new FeedEvents(options.store);
    this.#isOver = signal?.aborted === true;
    this.#events = this.#follow();
    signal?.addEventListener('abort', this.end);
  }

  /** The feed may have more entries. */
  wake(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /** Adds an event that is not stored, for a live stream. After a cursor, all events are stored ones. */
  push(event: HostEvent): void {
    const { after } = this.#options.filter;
    if (
      this.#isOver ||
      after !== undefined ||
      !isOfTypes(event.event.type, this.#options.filter.types)
    )
      return;
    this.#unstored.add(event);
    this.wake();
  }

  /** Adds a part of a reply. It is given after the events that were stored before. */
  pushPart(part: HostEvent): void {
    if (this.#isOver || !isOfTypes(part.event.type, this.#options.filter.types)) return;
    this.#parts.add(part);
    this.wake();
  }

  /** The reply is stored, or its call has failed. */
  dropPart(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    this.#parts.drop(origin);
  }

  /** An instance was erased. Its events that were read are not given any more. */
  erased(id: string): void {
    this.#reader.erased(id);
  }

  readonly end = (): void => {
    this.#isOver = true;
    this.#options.filter.signal?.removeEventListener('abort', this.end);
    this.#options.onEnd();
    this.wake();
  };

  /**
   * Reads what the subscriber of a live stream has not read yet, because the store will be closed. A stream after a cursor is
   * continued after its last cursor instead.
   */
  async endWithHost(): Promise<void> {
    if (this.#options.filter.after !== undefined) return this.end();
    this.#isEnding = true;
    this.wake();
    this.#rest ??= this.#readRest();
    await this.#rest.catch(() => {});
  }

  async next(): Promise<Result> {
    if (this.#rest === undefined) return this.#events.next();
    const value = (await this.#rest).shift();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<Result> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #readRest(): Promise<HostEvent[]> {
    const rest: HostEvent[] = [];
    for (;;) {
      // Calls of the subscriber that wait already are answered first.
      const { done, value } = await this.#events.next();
      if (done) return rest;
      if (rest.push(value) > unreadMax.events) throw slowSubscriber(rest.length);
    }
  }

  async *#follow(): AsyncGenerator<HostEvent, undefined> {
    try {
      if (!this.#isOver) yield* this.#all();
    } catch (error) {
      const hasClosed = error instanceof StoreError && endings.includes(error.code);
      if (!this.#isOver && !hasClosed) throw error;
    } finally {
      this.end();
    }
    return undefined;
  }

  async *#all(): AsyncGenerator<HostEvent, void> {
    const { store, filter } = this.#options;
    const { contact } = filter;
    await this.#check();
    // The rest of the write to which the cursor belongs comes first.
    let after = this.#start.lines === undefined ? this.#start.position : this.#start.position - 1;
    while (!this.#isOver) {
      this.#hasNews = false;
      const parts = this.#parts.ready();
      const { count } = this.#unstored;
      const request = { after, limit: pageLength, ...(contact === undefined ? {} : { contact }) };
      const { feed, last, entries } = await store.feed(request);
      this.#reader.begin();
      for (const entry of entries) {
        yield* this.#eventsOf(entry, feed);
        if (this.#isOver) return;
        after = entry.position;
      }
      if (entries.length === pageLength) {
        await nextTurn();
        continue;
      }
      after = Math.max(after, last);
      for (const event of this.#unstored.take(count)) {
        yield event;
        if (this.#isOver) return;
      }
      for (const part of this.#parts.take(parts)) {
        yield part;
        if (this.#isOver) return;
      }
      if (this.#hasNews) continue;
      if (this.#isEnding) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async *#eventsOf(entry: FeedEntry, feed: string): AsyncGenerator<HostEvent, void> {
    if (entry.kind !== 'instance') return;
    const { position, lines = 0 } = this.#start;
    const from = entry.position === position ? Math.max(entry.from, lines) : entry.from;
    const { types } = this.#options.filter;
    for await (const { count, event } of this.#reader.eventsOf(entry, from, types)) {
      yield { ...event, cursor: feedCursorAt(feed, entry.position, count, event.at) };
      if (this.#isOver) return;
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

/** The host has stopped, or has lost its store. */
const endings: readonly string[] = ['store/closed', 'store/lost'];

function unknownCursor(): HostError {
  return new HostError(
    'host/unknown-cursor',
    'The store does not have the event of this cursor: it belongs to another store, or to one that was restored from a backup. Follow the instances after "beginning".',
  );
}
