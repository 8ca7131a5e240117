import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** A way to a service. */
export interface Connection {
  /** The name of the service in messages. */
  readonly name: string;
  readonly request: (head: RequestHead) => Promise<ClientRequest>;
}

/** @param connect opens the socket of a store */
export function socketConnection(name: string, connect: () => Socket): Connection {
  return {
    name,
    request: async ({ headers, ...head }) => {
      // Loaded here because it is slow to load and most commands do not need it.
      const { request } = await import('node:http');
      return request({
        ...head,
        createConnection: connect,
        headers: { host: 'localhost', connection: 'close', ...headers },
      });
    },
  };
}

/**
 * @param url the address of the service, with or without a path
 * @param token a bearer token
 */
export function urlConnection(url: URL, token?: string): Connection {
  const base = url.pathname.replace(/\/$/, '');
  return {
    name: `The service at ${url.origin}`,
    request: async ({ method, path, headers }) => {
      const { request } =
        url.protocol === 'https:' ? await import('node:https') : await import('node:http');
      return request(new URL(`${url.origin}${base}${path}`), {
        method,
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        agent: false,
      });
    },
  };
}
