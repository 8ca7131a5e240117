import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Chance } from '@dramaturg/testing';

export interface Delivered {
  readonly id: string;
  readonly instance: string;
  readonly text: string;
}

/**
 * The channel and the agents. They are outside the killed process, so their records survive each kill. The channel sometimes
 * fails, before or after it accepts a message. Answers take a few milliseconds.
 */
export class World {
  /** Accepted messages in the order of their first delivery. */
  readonly accepted: Delivered[] = [];
  /** The number of deliveries with the id of an accepted message. */
  repeated = 0;
  /** The ids of messages that were delivered again although their receipt was stored. */
  readonly redelivered: string[] = [];
  readonly #receipts = new Set<string>();
  /** The number of times that each call was made, by its key. */
  readonly calls = new Map<string, number>();
  readonly #ids = new Set<string>();
  readonly #greeted = new Set<string>();
  readonly #chance: Chance;
  #server: Server | undefined;
  failures = true;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  async open(): Promise<string> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Whether the instance has sent a message. */
  hasGreeted(instance: string): boolean {
    return this.#greeted.has(instance);
  }

  /** Records that the host has stored the receipt of a message. */
  receive(id: string): void {
    this.#receipts.add(id);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readBody(request)) as Record<string, string>;
    await new Promise((resolve) => setTimeout(resolve, this.#chance.between(0, 8)));
    if (request.url === '/deliver') return this.#deliver(body as never, response);
    const key = body['key']!;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    const answer = request.url === '/reply' ? replyTo(body) : { result: { key } };
    // Each call costs one token, so the sum of tokens equals the number of calls.
    response.end(JSON.stringify({ ...answer, usage: { inputTokens: 1 } }));
  }

  #deliver({ id, instance, text }: Delivered, response: ServerResponse): void {
    const luck = this.failures ? this.#chance.next() : 1;
    if (luck < 0.02) {
      response.writeHead(500).end();
      return;
    }
    if (this.#receipts.has(id)) this.redelivered.push(id);
    if (this.#ids.has(id)) this.repeated += 1;
    else {
      this.#ids.add(id);
      this.#greeted.add(instance);
      this.accepted.push({ id, instance, text });
    }
    // The channel has accepted the message, but the sender receives no receipt.
    if (luck < 0.04) response.destroy();
    else response.writeHead(204).end();
  }
}

/** Answers a message. When its last line ends in `bye`, the answer ends the conversation. */
function replyTo({ message }: Record<string, string>): object {
  if (message === undefined) return { text: 'hello' };
  const isOver = message.split('\n').at(-1)!.endsWith('bye');
  return { text: `re: ${message}`, toolCalls: isOver ? [{ name: 'end', arguments: {} }] : [] };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
