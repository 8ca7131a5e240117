import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { endpoint } from '@restatedev/restate-sdk';
import {
  accepting,
  acceptingServices,
  oneHandler,
  oneHandlerServices,
  type Outside,
} from './services.ts';

/** The hand-written objects to compare with, by name. */
export const restatePeers = {
  'one handler': { name: oneHandler, services: oneHandlerServices },
  accepting: { name: accepting, services: acceptingServices },
} as const;

export type RestatePeerName = keyof typeof restatePeers;

export interface RestateUrls {
  readonly ingress: string;
  readonly admin: string;
}

/** A hand-written Restate object in this process, registered with a server. */
export class RestatePeer {
  readonly #urls: RestateUrls;
  readonly #name: string;
  readonly #server: Http2Server;
  readonly #ends: ReadonlyMap<string, () => void>;
  #messages = 0;

  private constructor(
    urls: RestateUrls,
    name: string,
    server: Http2Server,
    ends: ReadonlyMap<string, () => void>,
  ) {
    this.#urls = urls;
    this.#name = name;
    this.#server = server;
    this.#ends = ends;
  }

  static async start(
    urls: RestateUrls,
    which: RestatePeerName,
    { reply, deliver }: Outside = {
      reply: async (text) => `You said: ${text}`,
      deliver: async () => {},
    },
  ): Promise<RestatePeer> {
    const { name, services } = restatePeers[which];
    const ends = new Map<string, () => void>();
    const outside: Outside = {
      reply,
      deliver: async (contact, text) => {
        await deliver(contact, text);
        ends.get(contact)?.();
      },
    };
    // The default logger prints two lines for each invocation.
    const handler = endpoint().setLogger(() => {});
    for (const each of services(outside)) handler.bind(each);
    const server = createServer(handler.http2Handler());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await post(`${urls.admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
    return new RestatePeer(urls, name, server, ends);
  }

  /**
   * Sends a message of a contact, with a key. A contact has one turn at a time.
   *
   * @returns fulfils when the answer was delivered, before the receipt is written
   */
  async turn(contact: string, text?: string): Promise<void> {
    const ends = this.#ends as Map<string, () => void>;
    const hasEnded = new Promise<void>((resolve) => ends.set(contact, resolve));
    this.#messages += 1;
    await post(
      `${this.#urls.ingress}/${this.#name}/${encodeURIComponent(contact)}/message`,
      text ?? `Message ${this.#messages}`,
      { 'idempotency-key': `${contact}-${this.#messages}` },
    );
    await hasEnded;
    ends.delete(contact);
  }

  /** Must be called after the server has ended, which keeps its connections open. */
  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
}
