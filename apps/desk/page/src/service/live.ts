import type { HostEvent } from '@dramaturg/host';
import type { Connection } from './connection.ts';
import { EventFeed, type FeedState } from './event-feed.ts';

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
