import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** What a session keeps for a client that connects again: messages, and UTF-16 units of all of them. */
const messagesMax = 500;
const sizeMax = 2_000_000;

interface Logged {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The latest messages of one session, so that a stream that was cut goes on after its last event id. */
export class EventLog implements EventStore {
  readonly #logged: Logged[] = [];
  #count = 0;
  #size = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${(this.#count += 1)}`;
    const size = JSON.stringify(message).length;
    this.#logged.push({ id, stream, message, size });
    this.#size += size;
    while (this.#logged.length > messagesMax || (this.#size > sizeMax && this.#logged.length > 1))
      this.#size -= this.#logged.shift()!.size;
    return id;
  }

  // `getStreamIdForEventId` is left out: with it, the transport refuses a client that is back before the cut was noticed.
  has(id: string): boolean {
    return this.#logged.some((each) => each.id === id);
  }

  async replayEventsAfter(
    last: string,
    { send }: Parameters<EventStore['replayEventsAfter']>[1],
  ): Promise<string> {
    const at = this.#logged.findIndex(({ id }) => id === last);
    const { stream } = this.#logged[at]!;
    for (const { id, message, ...each } of this.#logged.slice(at + 1))
      // A message without content only tells the client its event id.
      if (each.stream === stream && 'jsonrpc' in message) await send(id, message);
    return stream;
  }
}
