import type { Server } from 'node:http';
import {
  type AccessLimits,
  auditFile,
  type Authenticate,
  guardedAccess,
  type GuardOptions,
  loopbackNotice,
  readTokens,
  requireLoopback,
  serverOf,
  serviceApp,
  type ServiceOptions,
} from '@dramaturg/service';
import { listenIn, stopListening } from '../cli/host/desk/socket.ts';
import type { HostOperations } from './host-operations.ts';
import { addressOf, listenOn } from './listen.ts';

/** How a host is served. Spec: docs/service.md, docs/access.md */
export interface ServeOptions {
  /** Where HTTP is listened for: `127.0.0.1:8080`, or a port of this machine. Port 0 is any free one. */
  readonly http?: string | undefined;
  /** The store of the host, as commands name it. Commands on this machine then reach the host through a socket of the store. */
  readonly store?: string | undefined;
  /** The file of the tokens, or a function that finds the identity of a token. Without it, HTTP is for this computer only. */
  readonly tokens?: string | Authenticate | undefined;
  /** The file of the audit log. */
  readonly audit?: string | undefined;
  /** Names under which clients reach the service, besides its addresses. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of pages elsewhere that may call the service: `https://desk.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<AccessLimits> | undefined;
  /** Receives errors of the tokens file and of the audit log. They are warnings of the process when left out. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The address of a client, for the audit log and the limits. Default: that of its connection, which can be a proxy's. */
  readonly addressOf?: GuardOptions['addressOf'] | undefined;
  /** Adds routes of your own, behind the same checks. */
  readonly mount?: ServiceOptions['mount'] | undefined;
}

/** A host that is served. */
export interface Service {
  /** The URL, such as `http://127.0.0.1:8080`, with `http`. */
  readonly url?: string;
  /** What the person who starts the service should know: without tokens, every program on this computer may do everything. */
  readonly notice?: string;
  /** Accepts no more requests. Those that are being answered are completed; streams end when the host stops. */
  readonly close: () => void;
  /** Ends all connections. */
  readonly destroy: () => void;
}

interface Listening {
  readonly server: Server;
  readonly close: () => void;
}

/**
 * Serves the operations of a host on the socket of its store and over HTTP.
 *
 * @param served a host, or hosts by the names of their tenants
 * @throws RequestError when it cannot listen, or when the tokens are not readable
 */
export async function serveOperations(
  served: HostOperations | ReadonlyMap<string, HostOperations>,
  options: ServeOptions,
): Promise<Service> {
  const { http, store } = options;
  const address = http === undefined ? undefined : addressOf(http);
  const hosts: readonly HostOperations[] = 'host' in served ? [served] : [...served.values()];
  const ready = () => Promise.all(hosts.map(({ host }) => host.list({}, { limit: 1 })));
  const mount = options.mount && { mount: options.mount };
  const listening: Listening[] = [];
  const service = {
    close: () => {
      for (const { close } of listening) close();
    },
    destroy: () => {
      for (const { server } of listening) server.closeAllConnections();
    },
  };
  try {
    const guarded = await guardedBy(options);
    if (store !== undefined) {
      // Only the user who runs this process can open the socket.
      const access = guardedAccess(hosts[0]!, { ...guarded, via: 'socket' });
      const server = serverOf(serviceApp({ access, ready, ...mount }));
      await listenIn(store, server);
      listening.push({ server, close: () => stopListening(store, server) });
    }
    if (address === undefined) return service;
    if (options.tokens === undefined) requireLoopback(address.hostname);
    const access = guardedAccess(served, { ...guarded, ...(await authenticatedBy(options)) });
    const server = serverOf(serviceApp({ access, ready, ...mount }));
    const url = await listenOn(server, address);
    listening.push({
      server,
      close: () => {
        server.close();
        server.closeIdleConnections();
      },
    });
    return { ...service, url, ...(options.tokens === undefined && { notice: loopbackNotice }) };
  } catch (error) {
    service.close();
    throw error;
  }
}

async function guardedBy(options: ServeOptions): Promise<GuardOptions> {
  const { audit, allowedHosts, allowedOrigins, limits, onError } = options;
  return {
    ...(onError && { onError }),
    ...(options.addressOf && { addressOf: options.addressOf }),
    ...(audit !== undefined && { onAudit: (await auditFile(audit)).append }),
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(limits && { limits }),
  };
}

async function authenticatedBy({ tokens, onError }: ServeOptions): Promise<GuardOptions> {
  if (typeof tokens !== 'string') return { authenticate: tokens };
  return { authenticate: await readTokens(tokens, onError && { onError }) };
}
