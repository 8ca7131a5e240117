import type { HostEvent } from '@dramaturg/host';
import { eventsIn, HostRequestError, keepFollowing, queryText } from '@dramaturg/react';
import type { Connection } from './desk-client.ts';

/** The ids of changed conversations; `all` when the page may have missed some. */
export type Changes = ReadonlySet<string> | 'all';

/** Milliseconds in which changes are collected before they are reported. */
const gatheringMs = 100;

/** Maximum number of changed conversations that are named. With more, it is `all`. */
const namedMax = 1_000;

/** Maximum length of an unfinished reply that is shown, in characters. */
const partMax = 20_000;

/**
 * Notifies the page of changes, and shows the unfinished reply in the watched conversation. It keeps no events, so a page that is
 * open for weeks does not grow.
 */
export class Live {
  readonly #feed: EventFeed;
  readonly #listeners = new Set<(changes: Changes) => void>();
  readonly #observers = new Set<() => void>();
  #changed: Set<string> | 'all' = new Set();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #watched: string | undefined;
  #part = '';
  #state: FeedState = 'connecting';

  constructor(connection: Connection) {
    this.#feed = new EventFeed(connection, {
      event: (event) => this.#take(event),
      state: (state) => this.#enter(state),
    });
  }

  get state(): FeedState {
    return this.#state;
  }

  /** The unfinished reply in the watched conversation. */
  get part(): string {
    return this.#part;
  }

  start(): void {
    void this.#feed.run();
  }

  stop(): void {
    clearTimeout(this.#gathering);
    this.#feed.stop();
  }

  /** Shows the parts of replies of one conversation. */
  watch(id: string | undefined): void {
    this.#watched = id;
    this.#setPart('');
  }

  readonly onChanges = (listener: (changes: Changes) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Observes `state` and `part`. */
  readonly observe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };

  #take({ instance, event }: HostEvent): void {
    if (event.type === 'message.part') {
      if (instance !== this.#watched) return;
      const { text, offset } = event as unknown as { text: string; offset: number };
      this.#setPart((this.#part.slice(0, offset) + text).slice(0, partMax));
      return;
    }
    if (instance === this.#watched && ['message.sent', 'turn.failed'].includes(event.type))
      this.#setPart('');
    if (this.#changed !== 'all') {
      this.#changed.add(instance);
      if (this.#changed.size > namedMax) this.#changed = 'all';
    }
    this.#gathering ??= setTimeout(() => this.#report(), gatheringMs);
  }

  #enter(state: FeedState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const observer of this.#observers) observer();
    if (state !== 'open') return;
    // Changes since the page was loaded, or since the interruption, may have been missed.
    this.#changed = 'all';
    this.#report();
  }

  #report(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const changed = this.#changed;
    this.#changed = new Set();
    for (const listener of this.#listeners) listener(changed);
  }

  #setPart(part: string): void {
    if (part === this.#part) return;
    this.#part = part;
    for (const observer of this.#observers) observer();
  }
}

export type FeedState = 'connecting' | 'open' | 'lost';

/** Final refusals: another attempt would also be refused. */
const final = [401, 403];

/**
 * Follows the events of all conversations, one stream for the whole page. After an interruption it continues after its last
 * cursor, so that no event is missed. It keeps only the cursor.
 */
class EventFeed {
  readonly #connection: Connection;
  readonly #stopping = new AbortController();
  readonly #onEvent: (event: HostEvent) => void;
  readonly #onState: (state: FeedState) => void;
  #cursor: string | undefined;

  constructor(
    connection: Connection,
    on: {
      readonly event: (event: HostEvent) => void;
      readonly state: (state: FeedState) => void;
    },
  ) {
    this.#connection = connection;
    this.#onEvent = on.event;
    this.#onState = on.state;
  }

  /** Follows until it is stopped, or until the token is refused. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    await keepFollowing(
      signal,
      async (onOpen) => {
        const path = `/events${queryText({ parts: true, after: this.#cursor })}`;
        const events = eventsIn(await this.#connection.send(path, { signal }), (cursor) => {
          this.#cursor = cursor;
        });
        onOpen();
        this.#onState('open');
        for await (const event of events) this.#onEvent(event);
      },
      (error) => {
        if (error instanceof HostRequestError) {
          if (final.includes(error.status)) return this.stop();
          // The instance of the cursor was erased, or the store was replaced.
          if (error.code === 'host/unknown-cursor') this.#cursor = undefined;
        }
        this.#onState('lost');
      },
    );
  }

  stop(): void {
    this.#stopping.abort();
  }
}
