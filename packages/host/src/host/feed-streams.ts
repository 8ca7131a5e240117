import type { HostEvent } from '../instance/event.ts';
import type { EventFilter } from './event-streams.ts';
import { FeedStream } from './feed-stream.ts';
import type { PartOrigin, ReplyPart } from './reply-parts.ts';
import type { Committed } from '../store/contract.ts';
import type { NotedWrite } from './note-writes.ts';
import type { Origin } from './origin.ts';
import { type FeedStore, RecentWrites } from './recent-writes.ts';
import { SharedReads } from './shared-reads.ts';

/** An instance, which may have a contact. */
export interface Addressed {
  readonly contact?: string | undefined;
}

/** Owns the subscriptions to the events of all instances and of contacts, and what they share. */
export class FeedStreams {
  readonly #recent: RecentWrites;
  readonly #reads: SharedReads;
  readonly #streams = new Map<FeedStream, EventFilter>();

  constructor(store: FeedStore) {
    this.#recent = new RecentWrites(store);
    this.#reads = new SharedReads(store, this.#recent);
  }

  /** Looks where the feed ends. To be called before the first subscription. */
  async open(): Promise<void> {
    await this.#recent.open();
  }

  /**
   * A write is stored.
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
   * @param instance undefined when it is not known whose instance it is
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

  /** Ends all iterations. Live ones get what is stored first. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#streams.keys(), (stream) => stream.endWithHost()));
  }
}

function isWanted({ contact }: ReplyPart, filter: EventFilter): boolean {
  return filter.parts === true && (filter.contact === undefined || filter.contact === contact);
}
