import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, isIPv6, type ListenOptions as NetListenOptions } from 'node:net';
import { createEndpointHandler, type NodeEndpointOptions } from '@restatedev/restate-sdk';
import { namesIn } from '../names.ts';
import { Admin, quoted } from './admin.ts';

export interface ListenOptions {
  /** The address to listen on. `127.0.0.1` when left out. */
  readonly host?: string;
  /** The port; 0 or absent for a free port. */
  readonly port?: number;
  /**
   * Whether other processes of this user may listen on the same port: the system distributes the connections among them. On
   * systems without this, such as macOS, the port is not shared. False when left out.
   */
  readonly reusePort?: boolean;
}

/**
 * Maximum number of calls on one connection. Restate opens more connections when it needs them, so processes that share a port
 * all get work.
 */
const maxConcurrentStreams = 32;

/** The time that handlers have to end when the server closes, in milliseconds. */
const graceMs = 1_000;

/** The URL of handlers that listen on an address. */
export function urlOf(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
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
    { host = '127.0.0.1', port = 0, reusePort = false }: ListenOptions,
  ): Promise<HandlerServer> {
    const server = new HandlerServer(
      createServer({ settings: { maxConcurrentStreams } }, createEndpointHandler(endpoint)),
    );
    try {
      await server.#listen({ host, port, reusePort });
    } catch (error) {
      if (!reusePort || (error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error;
      await server.#listen({ host, port });
    }
    return server;
  }

  #listen(options: NetListenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(options, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Refuses new calls, gives handlers a moment to end, and cuts the connections. Restate calls unfinished handlers again when
   * there is a server at the address.
   */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const cut = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, graceMs);
    await closed;
    clearTimeout(cut);
  }
}

/**
 * Whether handlers of a namespace are registered with Restate, even if no process serves them now.
 *
 * @param location the URL of the administration, and the namespace
 * @throws HostError `host/bad-request` with the reason that Restate gives; the error of `fetch` when it cannot be reached
 */
export async function hasHandlers({
  admin,
  namespace,
}: {
  readonly admin: string;
  readonly namespace: string;
}): Promise<boolean> {
  const name = quoted(namesIn(namespace).instance);
  const rows = await new Admin(admin).query(`select name from sys_service where name = ${name}`);
  return rows.length > 0;
}

/**
 * The namespaces whose handlers are registered at a URL.
 *
 * @param admin the URL of the administration
 * @throws as `hasHandlers`
 */
export async function namespacesServedAt(admin: string, url: string): Promise<readonly string[]> {
  const rows = await new Admin(admin).query<{ readonly name: string; readonly endpoint: string }>(
    'select s.name, d.endpoint from sys_service s join sys_deployment d on s.deployment_id = d.id',
  );
  const ending = '.instance';
  return rows
    .filter(({ name, endpoint }) => name.endsWith(ending) && isSame(endpoint, url))
    .map(({ name }) => name.slice(0, -ending.length));
}

function isSame(endpoint: string, url: string): boolean {
  return URL.canParse(endpoint) && new URL(endpoint).href === new URL(url).href;
}
