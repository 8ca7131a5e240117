import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The trouble of a provider with the next request. `lost`: it accepts the message, and the connection breaks before the answer.
 * `silent`: it never answers. `nonsense`: it answers 200 with a page of a proxy.
 */
export type Trouble =
  | 'failed'
  | 'limited'
  | 'refused'
  | 'denied'
  | 'cut'
  | 'lost'
  | 'silent'
  | 'nonsense';

export interface StandInRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StandInAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface StandInServerOptions {
  /** Answers a request according to the provider's documentation. */
  readonly handle: (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>;
  /** The provider's error answers. */
  readonly errors: Readonly<Record<'failed' | 'limited' | 'refused' | 'denied', StandInAnswer>>;
}

/** A server on this machine with the HTTP interface of a provider. It makes trouble on demand of a test. */
export class StandInServer {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #options: StandInServerOptions;
  /** The troubles of the next requests, in order. */
  readonly troubles: (Trouble | undefined)[] = [];
  /** All requests, in order of arrival. */
  readonly requests: StandInRequest[] = [];
  url = '';

  constructor(options: StandInServerOptions) {
    this.#options = options;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handle, errors } = this.#options;
    const read = await readRequest(request);
    this.requests.push(read);
    const trouble = this.troubles.shift();
    switch (trouble) {
      case 'silent':
        return;
      case 'cut':
        return void request.socket.destroy();
      case 'lost':
        await handle(read);
        return void request.socket.destroy();
      case 'nonsense':
        return send(response, { status: 200, body: '<html>Please log in.</html>' });
      case undefined:
        return send(response, await handle(read));
      default:
        return send(response, errors[trouble]);
    }
  }
}

/** Reads a request whole, with its body as text. */
export async function readRequest(request: IncomingMessage): Promise<StandInRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method,
    path: url,
    headers: Object.fromEntries(plain),
    body: Buffer.concat(chunks).toString(),
  };
}

function send(response: ServerResponse, { status, headers, body = '' }: StandInAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): StandInAnswer {
  return { status, body: JSON.stringify(body), headers };
}
