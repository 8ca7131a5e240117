import type { HostEvent } from '../instance/event.ts';
import { feedCursorAfter } from './event-cursor.ts';
import { journalCursor } from './journal-cursor.ts';
import { type EventFilter, EventStreams } from './event-streams.ts';
import { type Addressed, FeedStreams } from './feed-streams.ts';
import { JournalStreams } from './journal-streams.ts';
import type { Committed } from '../store/contract.ts';
import type { NotedWrite } from './host-store.ts';
import type { Origin } from './origin.ts';
import type { FeedStore } from './recent-writes.ts';
import { ReplyParts } from './reply-parts.ts';

/** All subscriptions to the events of a host on one machine. */
export class Subscriptions {
  /** New events of one instance, perhaps with its descendants. */
  readonly #streams = new EventStreams();
  /** Events of one instance after a cursor. */
  readonly #journalStreams: JournalStreams;
  /** Events of all instances, or of a contact's instances. */
  readonly #feedStreams: FeedStreams;
  readonly replyParts: ReplyParts;

  readonly #store: FeedStore;

  constructor(store: FeedStore, now: () => number) {
    this.#store = store;
    this.#journalStreams = new JournalStreams({ store });
    this.#feedStreams = new FeedStreams(store);
    this.replyParts = new ReplyParts({
      publish: (part) => {
        this.#streams.publish([part.event]);
        this.#journalStreams.publishPart(part.event);
        this.#feedStreams.publishPart(part);
      },
      onForgotten: (origin) => {
        this.#journalStreams.dropPart(origin);
        this.#feedStreams.dropPart(origin);
      },
      now,
    });
  }

  /** Has to be called before the first subscription. */
  async open(): Promise<void> {
    await this.#feedStreams.open();
  }

  subscribe(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    const parts = filter.parts ? this.replyParts.current() : [];
    if (filter.instance === undefined) return this.#feedStreams.subscribe(filter, parts);
    const texts = parts.map(({ event }) => event);
    const streams = filter.after === undefined ? this.#streams : this.#journalStreams;
    return streams.subscribe(filter, texts);
  }

  /** The cursor after the last stored event of one instance, or of all. */
  async cursor({ instance }: Pick<EventFilter, 'instance'>): Promise<string> {
    if (instance !== undefined) return journalCursor(this.#store, instance);
    const { feed, last } = await this.#store.feed({ after: 0, limit: 1 });
    return feedCursorAfter(feed, last);
  }

  /**
   * Notes that a write is stored.
   *
   * @param origin of an instance; undefined when it is not known
   */
  noteStored(write: NotedWrite, stored: Committed, origin: Origin | undefined): void {
    this.#feedStreams.noteStored(write, stored, origin);
  }

  /**
   * Gives events of an instance to subscribers.
   *
   * @param instance undefined when it is not active
   */
  publish(id: string, events: readonly HostEvent[], instance: Addressed | undefined): void {
    this.#streams.publish(events);
    this.#journalStreams.wake(id);
    this.#feedStreams.publish(events, instance);
  }

  /** Notes that an instance was erased. */
  erased(id: string): void {
    this.#streams.erased(id);
    this.#journalStreams.wake(id);
    this.#feedStreams.erased(id);
  }

  /** Ends all iterations. Live ones first give their remaining events. */
  async end(): Promise<void> {
    this.#streams.end();
    this.#journalStreams.end();
    await this.#feedStreams.end();
  }
}
