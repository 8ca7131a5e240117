import type { HostEvent } from '../instance/event.ts';
import type { Committed } from '../store/contract.ts';
import type { EventFilter } from './event-streams.ts';
import { FeedStream } from './feed-stream.ts';
import type { NotedWrite } from './note-writes.ts';
import type { Origin } from './origin.ts';
import { type FeedStore, type NewsReader, RecentWrites } from './recent-writes.ts';
import type { PartOrigin, ReplyPart } from './reply-parts.ts';

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
