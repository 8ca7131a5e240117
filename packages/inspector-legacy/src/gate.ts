import type { WebSocket, WebSocketServer } from 'ws';

/** The part of a WebSocket server that `@xstate/inspect` uses. */
export interface LegacyServer {
  /** The accepted clients. */
  readonly clients: ReadonlySet<WebSocket>;
  readonly on: (name: 'connection' | 'close', listener: (client: LegacyClient) => void) => void;
  readonly close: () => void;
}

interface LegacyClient {
  readonly on: (name: 'message', listener: (data: unknown, isBinary: boolean) => void) => void;
}

/**
 * A server that accepts tools, and web pages of this computer and of the given origins. It forwards only messages of the
 * protocol, because `@xstate/inspect` checks neither origins nor messages.
 */
export function gateOf(server: WebSocketServer, origins: readonly string[]): LegacyServer {
  const clients = new Set<WebSocket>();
  return {
    clients,
    on: (name, listener) => {
      if (name === 'close') {
        server.on('close', listener as () => void);
        return;
      }
      server.on('connection', (client, { headers: { origin } }) => {
        // A broken connection is closed. No listener needs to know.
        client.on('error', () => {});
        if (origin !== undefined && !origins.includes(origin) && !isLocal(origin)) {
          client.close(1008, 'Pages of another origin are refused.');
          return;
        }
        clients.add(client);
        client.on('close', () => void clients.delete(client));
        listener({
          on: (_, hear) =>
            void client.on('message', (data, isBinary) => {
              if (!isBinary && isUnderstood((data as Buffer).toString('utf8')))
                hear(data, isBinary);
            }),
        });
      });
    },
    close: () => server.close(),
  };
}

function isLocal(origin: string): boolean {
  const { hostname } = URL.parse(origin) ?? {};
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** The protocol: a receiver announces itself, and sends events to services. */
function isUnderstood(text: string): boolean {
  const { type, event } = fieldsIn(text);
  if (type === 'xstate.inspecting') return true;
  return (
    type === 'xstate.event' &&
    typeof event === 'string' &&
    typeof fieldsIn(event)['origin'] === 'string'
  );
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
