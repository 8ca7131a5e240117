import type { Server } from 'node:http';
import { openAccess, serverOf, serviceApp } from '@dramaturg/service';
import { listenIn, stopListening } from '../cli/host/desk/socket.ts';
import type { HostOperations } from './host-operations.ts';
import { addressOf, listenOn } from './listen.ts';

export interface ServeOptions {
  /** Where HTTP is listened for: `127.0.0.1:8080`, or a port of this machine. Port 0 is any free one. */
  readonly http?: string;
  /** The store of the host, as commands name it. Commands on this machine then reach the host through a socket of the store. */
  readonly store?: string;
}

/** A host that is served. */
export interface Service {
  /** The URL, such as `http://127.0.0.1:8080`, with `http`. */
  readonly url?: string;
  /** Accepts no more requests. Those that are being answered are completed; streams end when the host stops. */
  readonly close: () => void;
  /** Ends all connections. */
  readonly destroy: () => void;
}

/** Serves the operations of a host on the socket of its store and over HTTP. */
export async function serveOperations(
  operations: HostOperations,
  { http, store }: ServeOptions,
): Promise<Service> {
  const address = http === undefined ? undefined : addressOf(http);
  const ready = () => operations.host.list({}, { limit: 1 });
  const app = serviceApp({ access: openAccess(operations), ready });
  const servers: { readonly server: Server; readonly close: () => void }[] = [];
  const service = {
    close: () => {
      for (const { close } of servers) close();
    },
    destroy: () => {
      for (const { server } of servers) server.closeAllConnections();
    },
  };
  try {
    if (store !== undefined) {
      const server = serverOf(app);
      await listenIn(store, server);
      servers.push({ server, close: () => stopListening(store, server) });
    }
    if (address === undefined) return service;
    const server = serverOf(app);
    const url = await listenOn(server, address);
    servers.push({
      server,
      close: () => {
        server.close();
        server.closeIdleConnections();
      },
    });
    return { ...service, url };
  } catch (error) {
    service.close();
    throw error;
  }
}
