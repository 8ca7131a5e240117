import type { EventFilter, HostEvent } from '@dramaturg/host';
import type { WrittenEvents } from '../work/event-feed.ts';
import { JournalFollower, type JournalFollowerOptions } from './journal-follower.ts';

/** Owns the subscriptions to the events of a host. */
export class JournalFollowers {
  readonly #options: JournalFollowerOptions;
  #followers: readonly JournalFollower[] = [];

  constructor(options: JournalFollowerOptions) {
    this.#options = options;
  }

  get hasSubscribers(): boolean {
    this.#followers = this.#followers.filter(({ isFollowing }) => isFollowing);
    return this.#followers.length > 0;
  }

  follow(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    const follower = new JournalFollower(filter, this.#options);
    const events = follower.follow();
    this.#followers = [...this.#followers, follower];
    return events;
  }

  /** Gives subscribers what this process has decided, once it is stored. */
  publish(written: WrittenEvents): void {
    for (const follower of this.#followers) follower.take(written);
  }

  stop(): void {
    for (const follower of this.#followers) follower.stop();
  }
}
