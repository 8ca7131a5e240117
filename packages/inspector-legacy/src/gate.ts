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
 *
 * @param onTool called after a tool has announced itself
 */
export function gateOf(
  server: WebSocketServer,
  origins: readonly string[],
  onTool: () => void,
): LegacyServer {
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
        dropIfStalled(client);
        clients.add(client);
        client.on('close', () => void clients.delete(client));
        listener({
          on: (_, hear) =>
            void client.on('message', (data, isBinary) => {
              if (isBinary) return;
              const text = (data as Buffer).toString('utf8');
              if (!isUnderstood(text)) return;
              hear(data, isBinary);
              if (fieldsIn(text)['type'] === 'xstate.inspecting') onTool();
            }),
        });
      });
    },
    close: () => server.close(),
  };
}

/** The maximum number of bytes that wait for a client. */
const unreadMax = 4_000_000;

/** Disconnects a client that does not read, because memory is bounded. */
function dropIfStalled(client: WebSocket): void {
  const send = client.send.bind(client) as (...given: unknown[]) => void;
  client.send = (...given: unknown[]) => {
    if (client.bufferedAmount > unreadMax) client.terminate();
    else send(...given);
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
