import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createEndpointHandler, type NodeEndpointOptions } from '@restatedev/restate-sdk';

export interface ListenOptions {
  /** The address to listen on. `127.0.0.1` when left out. */
  readonly host?: string;
  /** 0, or nothing, for a free one. */
  readonly port?: number;
}

/** Serves handlers to Restate over HTTP/2. States: listening → closed. */
export class HandlerServer {
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(server: Http2Server) {
    this.#server = server;
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
  }

  static async listen(
    endpoint: NodeEndpointOptions,
    { host = '127.0.0.1', port = 0 }: ListenOptions,
  ): Promise<HandlerServer> {
    const server = new HandlerServer(createServer(createEndpointHandler(endpoint)));
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(port, host, resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections. Restate calls handlers that are running again, when there is a server at the address. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.destroy();
    await closed;
  }
}
