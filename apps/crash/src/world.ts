import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Chance } from './chance.ts';

export interface Delivered {
  readonly id: string;
  readonly instance: string;
  readonly text: string;
}

/**
 * All that is outside of the process that is killed: a channel that counts, and agents. It lives in another process, so
 * that it remembers what the killed one has forgotten. Now and then the channel fails, before or after it has taken a
 * message, and answers take a moment.
 */
export class World {
  /** Messages in the order in which they were taken for the first time. */
  readonly taken: Delivered[] = [];
  /** How often a message came again under the id of one that was taken. */
  repeated = 0;
  /** Messages that were handed over again although their receipt was stored. */
  readonly again: string[] = [];
  readonly #receipts = new Set<string>();
  /** How often each call was made, by its key. */
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

  /** The instance has said something. */
  hasGreeted(instance: string): boolean {
    return this.#greeted.has(instance);
  }

  /** The host has stored that the channel has the message. */
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
    // Each call costs one token, so that the sum of them is the number of calls that were paid for.
    response.end(JSON.stringify({ ...answer, usage: { inputTokens: 1 } }));
  }

  #deliver({ id, instance, text }: Delivered, response: ServerResponse): void {
    const luck = this.failures ? this.#chance.next() : 1;
    if (luck < 0.02) {
      response.writeHead(500).end();
      return;
    }
    if (this.#receipts.has(id)) this.again.push(id);
    if (this.#ids.has(id)) this.repeated += 1;
    else {
      this.#ids.add(id);
      this.#greeted.add(instance);
      this.taken.push({ id, instance, text });
    }
    // The channel has taken the message, but the sender receives no receipt.
    if (luck < 0.04) response.destroy();
    else response.writeHead(204).end();
  }
}

/** The last word of a contact is `bye`, and the agent ends the conversation with its answer to it. */
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
