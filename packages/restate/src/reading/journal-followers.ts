import type { EventFilter, HostEvent } from '@dramaturg/host';
import { badRequest, JournalStreams } from '@dramaturg/host/engine';
import type { WrittenEvents } from '../work/event-feed.ts';
import { JournalFollower, type JournalFollowerOptions } from './journal-follower.ts';

/** How often a journal is polled for one subscriber, in milliseconds. */
const pollMs = 100;

/** Owns the subscriptions to the events of a host. */
export class JournalFollowers {
  readonly #options: JournalFollowerOptions;
  #followers: readonly JournalFollower[] = [];
  readonly #streams: JournalStreams;

  constructor(options: JournalFollowerOptions) {
    this.#options = options;
    this.#streams = new JournalStreams({ store: options.store, pollMs });
  }

  get hasSubscribers(): boolean {
    this.#followers = this.#followers.filter(({ isFollowing }) => isFollowing);
    return this.#followers.length > 0 || this.#streams.hasSubscribers;
  }

  follow(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    if (filter.after !== undefined && filter.instance === undefined)
      throw badRequest(
        'The instances of a host on Restate have no common order, so "after" needs "instance". Follow each instance after its own cursor.',
      );
    if (filter.after !== undefined) return this.#streams.subscribe(filter);
    const follower = new JournalFollower(filter, this.#options);
    const events = follower.follow();
    this.#followers = [...this.#followers, follower];
    return events;
  }

  /** Gives subscribers the events that this process has decided, once they are stored. */
  publish(written: WrittenEvents): void {
    for (const follower of this.#followers) follower.take(written);
    this.#streams.wake(written.instance);
  }

  stop(): void {
    for (const follower of this.#followers) follower.stop();
    this.#streams.end();
  }
}
