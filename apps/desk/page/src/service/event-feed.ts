import type { HostEvent } from '@dramaturg/host';
import { eventsIn, HostRequestError, keepFollowing, queryText } from '@dramaturg/react';
import type { Connection } from './connection.ts';

export type FeedState = 'connecting' | 'open' | 'lost';

/** Final refusals: another attempt would also be refused. */
const final = [401, 403];

/**
 * Follows the events of all conversations, one stream for the whole page. After an interruption it continues after its last
 * cursor, so that no event is missed. It keeps only the cursor.
 */
export class EventFeed {
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
