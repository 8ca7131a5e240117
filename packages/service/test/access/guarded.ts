import { once } from 'node:events';
import { type IncomingHttpHeaders, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import {
  type AccessEnv,
  guard,
  type GuardOptions,
  requireScope,
  serverOptions,
  type TokenIdentity,
} from '@dramaturg/service';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A token for each scope and what else tests need; the token is the name. */
const identities: Readonly<Record<string, TokenIdentity>> = {
  reader: { name: 'reader', scopes: ['read'] },
  app: { name: 'app', scopes: ['read', 'converse'] },
  desk: { name: 'desk', scopes: ['operate'], roles: ['finance'] },
  author: { name: 'author', scopes: ['define'] },
  root: { name: 'root', scopes: ['admin'] },
  slow: { name: 'slow', scopes: ['read'], limits: { requestsPerMinute: 2, streams: 1 } },
};

/** Accepts the tokens above. */
export const authenticate = (token: string): TokenIdentity | undefined =>
  Object.hasOwn(identities, token) ? identities[token] : undefined;

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Serves some routes behind a guard until the test ends. Counts the requests that have reached a route. */
export async function serveGuarded(options: GuardOptions = {}) {
  const reached: string[] = [];
  const cancelled: unknown[] = [];
  const app = new Hono<AccessEnv>();
  app.use(guard(options));
  app.get('/me', requireScope('read', 'me'), (c) => c.json(c.var.principal));
  app.post('/messages', requireScope('converse', 'receive'), async (c) => {
    const said = await c.req.text();
    reached.push(said);
    return c.json({ length: said.length });
  });
  app.post('/instances/:id/pause', requireScope('operate', 'pause'), async (c) => {
    reached.push(c.req.param('id'));
    const { status } = (await c.req.json().catch(() => ({}))) as { status?: 409 };
    return c.json({}, status ?? 200);
  });
  app.put('/definitions/:id', requireScope('define', 'define'), (c) => c.json({}));
  app.post('/backup', requireScope('admin', 'backup'), () => {
    throw new Error('The disk is full.');
  });
  app.get('/events', requireScope('read', 'events'), () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
      cancel: (reason) => void cancelled.push(reason),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  app.get('/elsewhere', () => fetch('data:application/json,{}'));
  app.onError((error, c) => c.json({ detail: error.message }, 500));
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions,
  }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, reached, cancelled, ask: askerOf(port) };
}

function askerOf(port: number) {
  return async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>> = {},
    body?: string | Uint8Array,
  ): Promise<Answer> => {
    const sent = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      agent: false,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const answered = await text(response);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: answered === '' ? {} : JSON.parse(answered),
    };
  };
}

/** Opens a stream and waits for its first bytes. `ended` fulfils when the server or the client has ended it. */
export async function openStream(port: number, token: string) {
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/events',
    agent: false,
    headers: bearer(token),
  });
  sent.on('error', () => {});
  sent.end();
  const [response] = await once(sent, 'response');
  response.on('error', () => {});
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  if (response.statusCode === 200) await once(response, 'data');
  return { status: response.statusCode as number, ended, close: () => sent.destroy() };
}

/** Sends bytes as they are, and returns what comes back until the connection closes. */
export async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  return text(socket);
}
