import type { HostEvent } from '@dramaturg/host';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type Connection, queryText } from './connection.ts';
import { ServiceError } from './service-error.ts';

export type FeedState = 'connecting' | 'open' | 'lost';

const [firstPauseMs, longestPauseMs] = [500, 10_000];

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
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      try {
        await this.#follow(() => {
          pauseMs = firstPauseMs;
          this.#onState('open');
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ServiceError && final.includes(error.status)) return;
        // The instance of the cursor was erased, or the store was replaced.
        if (error instanceof ServiceError && error.code === 'host/unknown-cursor')
          this.#cursor = undefined;
      }
      if (signal.aborted) return;
      this.#onState('lost');
      await waited(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #follow(onOpen: () => void): Promise<void> {
    const path = `/events${queryText({ parts: true, after: this.#cursor })}`;
    const { body } = await this.#connection.send(path, { signal: this.#stopping.signal });
    if (!body) return;
    onOpen();
    const messages = body
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (;;) {
      const { done, value } = await messages.read();
      if (done || value.event === 'end') return;
      if (value.id !== undefined) this.#cursor = value.id;
      if (value.event === 'problem') {
        await messages.cancel().catch(() => {});
        throw new ServiceError(JSON.parse(value.data), 0);
      }
      if (value.event !== 'begin') this.#onEvent(JSON.parse(value.data) as HostEvent);
    }
  }
}

function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
