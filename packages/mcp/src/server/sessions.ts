import { randomUUID } from 'node:crypto';
import { TransformStream } from 'node:stream/web';
import type { ServiceOptions } from '@dramaturg/service';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpAudit, McpServerOptions } from './mcp-host.ts';
import { mcpServer } from './mcp-server.ts';

export interface SessionLimits {
  /** Sessions at the same time. Default 1 000. */
  readonly sessions?: number;
  /** Sessions of one client at the same time. Default 50. */
  readonly sessionsOfClient?: number;
  /** Milliseconds after which a session without requests and streams ends. Default half an hour. */
  readonly idleMs?: number;
}

/** The client of a request. */
export interface SessionClient {
  /** The key of the session's owner: equal for requests that may use the same session. */
  readonly key: string;
  /** Makes the server of a new session, or of a request without a session. */
  readonly createServer: () => Server;
  /** Passed to handlers of requests as `extra.authInfo.extra`. */
  readonly extra: Record<string, unknown>;
}

interface Session {
  readonly key: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly log: EventLog;
  /** Number of open requests and streams. */
  open: number;
  /** Number of open calls, without streams of events. */
  calls: number;
  /** Called when the last call is answered. */
  onAnswered?: () => void;
  usedAt: number;
}

/** Answers requests of streamable HTTP. Spec: MCP 2025-11-25, Transports, "Session Management" */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #limits: Required<SessionLimits>;
  readonly #idling: ReturnType<typeof setInterval>;

  constructor({ sessions = 1_000, sessionsOfClient = 50, idleMs = 1_800_000 }: SessionLimits = {}) {
    this.#limits = { sessions, sessionsOfClient, idleMs };
    this.#idling = setInterval(() => this.#endIdle(), Math.min(idleMs, 60_000)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async answer(request: Request, client: SessionClient): Promise<Response> {
    this.#endIdle();
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.#sessions.get(id);
      // The id of another client's session is treated as unknown.
      if (session?.key !== client.key)
        return refusal(404, 'There is no such session. Initialize a new one.');
      const last = request.headers.get('last-event-id');
      if (request.method === 'GET' && last !== null && !session.log.has(last))
        return refusal(400, 'The event of the header Last-Event-ID is not kept any more.');
      return this.#within(session, request, client);
    }
    if (request.method !== 'POST')
      return refusal(400, 'The header Mcp-Session-Id is missing. Initialize a session first.');
    const isFirst = isInitialize(await request.clone().text());
    return isFirst ? this.#begin(request, client) : this.#once(request, client);
  }

  /** Ends all sessions and their streams, each when its calls are answered. */
  async close(): Promise<void> {
    clearInterval(this.#idling);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(
      all.map(async (session) => {
        if (session.calls > 0) await new Promise<void>((give) => (session.onAnswered = give));
        await session.server.close();
      }),
    );
  }

  async #begin(request: Request, client: SessionClient): Promise<Response> {
    const { key } = client;
    const { sessions, sessionsOfClient } = this.#limits;
    const isOwn = (session: Session) => session.key === key;
    if (!this.#hasRoom(sessionsOfClient, isOwn) || !this.#hasRoom(sessions))
      return refusal(503, 'There are too many sessions in use. End one, or try again later.');
    const id = randomUUID();
    const log = new EventLog();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: log,
      retryInterval: 1_000,
      onsessionclosed: () => void this.#sessions.delete(id),
    });
    const server = client.createServer();
    const session: Session = { key, server, transport, log, open: 0, calls: 0, usedAt: Date.now() };
    this.#sessions.set(id, session);
    await server.connect(transport);
    const response = await this.#within(session, request, client);
    // The request was refused.
    if (transport.sessionId === undefined) this.#end(id);
    return response;
  }

  async #within(session: Session, request: Request, client: SessionClient): Promise<Response> {
    const calls = request.method === 'POST' ? 1 : 0;
    session.open += 1;
    session.calls += calls;
    const leave = () => {
      session.open -= 1;
      session.calls -= calls;
      if (session.calls === 0) session.onAnswered?.();
      session.usedAt = Date.now();
    };
    let response: Response;
    try {
      response = await session.transport.handleRequest(request, { authInfo: authOf(client) });
    } catch (error) {
      leave();
      throw error;
    }
    const { body, status, headers } = response;
    if (body === null) {
      leave();
      return response;
    }
    return new Response(body.pipeThrough(noticingEnd(leave)), { status, headers });
  }

  /** Answers a request without a session: its server ends with the answer. */
  async #once(request: Request, client: SessionClient): Promise<Response> {
    const server = client.createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    request.signal.addEventListener('abort', () => void server.close(), { once: true });
    try {
      return await transport.handleRequest(request, { authInfo: authOf(client) });
    } finally {
      await server.close();
    }
  }

  #endIdle(): void {
    const idleSince = Date.now() - this.#limits.idleMs;
    for (const [id, { open, usedAt }] of this.#sessions)
      if (open === 0 && usedAt < idleSince) this.#end(id);
  }

  /** Ends the least recently used idle session when there are too many. */
  #hasRoom(most: number, isCounted: (session: Session) => boolean = () => true): boolean {
    const counted = [...this.#sessions].filter(([, session]) => isCounted(session));
    if (counted.length < most) return true;
    const idle = counted.filter(([, { open }]) => open === 0);
    const [oldest] = idle.toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest) this.#end(oldest[0]);
    return oldest !== undefined;
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    void session?.server.close().catch(() => {});
  }
}

function authOf({ extra }: SessionClient) {
  return { token: '', clientId: '', scopes: [], extra };
}

function isInitialize(text: string): boolean {
  try {
    return isInitializeRequest(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Passes bytes through, and calls back when the stream has ended or the client has left. */
function noticingEnd(onEnd: () => void) {
  const passing: ConstructorParameters<typeof TransformStream>[0] & { cancel: () => void } = {
    flush: onEnd,
    cancel: onEnd,
  };
  return new TransformStream<Uint8Array, Uint8Array>(passing);
}

function refusal(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  return Response.json(body, { status });
}

/** Limits of what a session keeps for a client that reconnects: messages, and their total UTF-16 units. */
const messagesMax = 500;
const sizeMax = 2_000_000;

interface Logged {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The latest messages of one session, so that a stream that was cut continues after its last event id. */
class EventLog implements EventStore {
  readonly #logged: Logged[] = [];
  #count = 0;
  #size = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${(this.#count += 1)}`;
    const size = JSON.stringify(message).length;
    this.#logged.push({ id, stream, message, size });
    this.#size += size;
    while (this.#logged.length > messagesMax || (this.#size > sizeMax && this.#logged.length > 1))
      this.#size -= this.#logged.shift()!.size;
    return id;
  }

  // `getStreamIdForEventId` is left out: with it, the transport refuses a client that reconnects before the cut is noticed.
  has(id: string): boolean {
    return this.#logged.some((each) => each.id === id);
  }

  async replayEventsAfter(
    last: string,
    { send }: Parameters<EventStore['replayEventsAfter']>[1],
  ): Promise<string> {
    const at = this.#logged.findIndex(({ id }) => id === last);
    const { stream } = this.#logged[at]!;
    for (const { id, message, ...each } of this.#logged.slice(at + 1))
      // A message without content only tells the client its event id.
      if (each.stream === stream && 'jsonrpc' in message) await send(id, message);
    return stream;
  }
}

/** Facts about a request from the guard of a service. */
interface Known {
  readonly principal?: { readonly scopes: readonly string[] };
  readonly access?: {
    readonly audit: (entry: {
      readonly action: string;
      readonly target: string | undefined;
      readonly outcome: 'started' | 'done' | 'refused';
    }) => Promise<void>;
  };
}

/** Options that all sessions of a service share. */
export type McpRouteOptions = Pick<McpServerOptions, 'editor' | 'kindOf' | 'draw'> & {
  readonly limits?: SessionLimits;
};

/**
 * Adds the route `/mcp` to a service: streamable HTTP. A client sees the tools that the scopes of its token allow, or all tools
 * of a service without tokens. A session belongs to the token that began it.
 *
 *     const service = await serveHost(host, { http: '127.0.0.1:8080', mount: mcpRoute({ kindOf, draw }) });
 */
export function mcpRoute({
  limits,
  ...options
}: McpRouteOptions): NonNullable<ServiceOptions['mount']> {
  return (app, _access, ended) => {
    const sessions = new Sessions(limits);
    ended.addEventListener('abort', () => void sessions.close().catch(() => {}), { once: true });
    const numbers = new WeakMap<object, number>();
    let hosts = 0;
    const numberOf = (host: object) => {
      if (!numbers.has(host)) numbers.set(host, (hosts += 1));
      return numbers.get(host);
    };
    app.on(['GET', 'POST', 'DELETE'], '/mcp', (c) => {
      const { principal, access } = c.var as Known;
      const { host, identity } = c.var;
      const audit: McpAudit | undefined =
        access && ((action, outcome) => access.audit({ action, target: undefined, outcome }));
      return sessions.answer(c.req.raw, {
        // A service of tenants has several hosts. A token may get other scopes while it has a session.
        key: JSON.stringify([numberOf(host), principal]),
        createServer: () =>
          mcpServer({
            ...options,
            host,
            events: host.events,
            scopes: principal?.scopes ?? [],
            ...(identity && { identity: { name: identity.name, roles: identity.roles ?? [] } }),
          }),
        extra: { audit },
      });
    });
  };
}
