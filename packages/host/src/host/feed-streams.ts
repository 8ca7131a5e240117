import type { HostEvent } from '../instance/event.ts';
import type { EventFilter } from './event-streams.ts';
import type { FeedStore } from './feed-events.ts';
import { FeedStream } from './feed-stream.ts';

/** Owns the subscriptions to the events of all instances and of contacts, and the position of the last write. */
export class FeedStreams {
  readonly #store: FeedStore;
  readonly #streams = new Map<FeedStream, EventFilter>();
  #last = 0;

  constructor(store: FeedStore) {
    this.#store = store;
  }

  /** Looks where the feed ends. To be called before the first subscription. */
  async open(): Promise<void> {
    this.noteStored((await this.#store.feed({ after: 0, limit: 1 })).last);
  }

  /** A write is stored. */
  noteStored(position: number): void {
    this.#last = Math.max(this.#last, position);
  }

  subscribe(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    const onEnd = () => this.#streams.delete(stream);
    const options = { store: this.#store, filter, since: this.#last, onEnd };
    const stream: FeedStream = new FeedStream(options);
    if (!filter.signal?.aborted) this.#streams.set(stream, filter);
    return stream;
  }

  /**
   * Gives events to subscribers. Those with a cursor are stored, and are read from the store.
   *
   * @param contact of the instance
   */
  publish(events: readonly HostEvent[], contact: string | undefined): void {
    for (const [stream, filter] of this.#streams) {
      stream.wake();
      if (filter.contact !== undefined && filter.contact !== contact) continue;
      for (const event of events) if (event.cursor === undefined) stream.push(event);
    }
  }

  erased(id: string): void {
    for (const stream of this.#streams.keys()) stream.erased(id);
  }

  /** Ends all iterations. Live ones get what is stored first. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#streams.keys(), (stream) => stream.endWithHost()));
  }
}
