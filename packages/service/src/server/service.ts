import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import { connectionsMax, serverOptions } from '../access/limits.ts';
import { problemIn } from '../failure.ts';
import { agUiRun } from '../front-ends/ag-ui.ts';
import { aiSdkChat, resumedChat } from '../front-ends/ai-sdk.ts';
import { frontEndRoutes } from '../front-ends/routes.ts';
import { openApi } from '../openapi/document.ts';
import { problem, type Problem, problemResponse, problemType } from '../problem.ts';
import { type Access, bodyOf, checked, routesApp, type ServiceEnv, withProblems } from './app.ts';

export interface ServiceOptions {
  readonly access: Access;
  /** Rejects while the service cannot answer requests: its host stops, or has lost its store. */
  readonly ready: () => Promise<ReadyDetails>;
  /** The channels that answer requests. */
  readonly channels?: ChannelsOf | undefined;
  /** Routes before all checks, such as the files of a page: they are the same for everybody and contain no data. */
  readonly mountPublic?: (app: Hono<ServiceEnv>) => void;
  /** Further routes, such as protocols for front ends. Their open connections end with the signal. */
  readonly mount?: (app: Hono<ServiceEnv>, access: Access, ended: AbortSignal) => void;
  /** Aborted when the application answers no more requests. */
  readonly ended?: AbortSignal;
}

/** The answer of `/readyz` when the service is ready. */
export interface ReadyDetails {
  /** Number of instances that are set aside, if any. */
  readonly setAside?: number;
}

/** The HTTP application of a service. Spec: docs/service.md */
export function serviceApp({
  access,
  ready,
  channels,
  mountPublic,
  mount,
  ended = new AbortController().signal,
}: ServiceOptions): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    try {
      const details = await ready();
      return c.json({ status: 'ready', ...details });
    } catch (error) {
      const found = problemIn(error);
      return problemResponse(
        problem(503, found?.code ?? 'host/failure', found?.detail ?? 'The host cannot answer.'),
      );
    }
  });
  if (channels) mountChannels(app, access, channels);
  mountPublic?.(app);
  app.use(access.admit);
  app.get('/openapi.json', (c) => c.json(openApi()));
  app.route('/', routesApp(access.permit));
  mountFrontEnds(app, access);
  mount?.(app, access, ended);
  return withProblems(app);
}

/** The application of a service that waits for its host. */
export function waitingApp(): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('*', () => problemResponse(withoutHost, { 'retry-after': '1' }));
  return app;
}

const withoutHost = problem(503, 'host/waiting', 'This service waits for its store.', {
  hint: 'Send the request again, or to the service that has the store.',
});

/**
 * The server of an application. The caller makes it listen and closes it.
 *
 * @param appOf the application that answers the next request
 */
export function serverOf(appOf: () => Hono<ServiceEnv>): Server {
  const listener = getRequestListener((request, env) => appOf().fetch(request, env), {
    overrideGlobalObjects: false,
    errorHandler: (error) => problemResponse(problemOfTarget(error)),
  });
  const server = createServer(
    serverOptions,
    (request, response) => void listener(request, response),
  );
  server.maxConnections = connectionsMax;
  server.on('clientError', answerUnreadable);
  return server;
}

/** Adds the protocols of front ends to a service. Spec: docs/front-ends.md */
function mountFrontEnds(app: Hono<ServiceEnv>, { permit }: Access): void {
  const { 'ag-ui': agUi, chat, resume } = frontEndRoutes;
  app.post(agUi.path, permit(agUi.scope, 'ag-ui'), async (c) => {
    const input = checked(agUi.input, await bodyOf(c.req.raw));
    return agUiRun(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.post(chat.path, permit(chat.scope, 'chat'), async (c) => {
    const input = checked(chat.input, await bodyOf(c.req.raw));
    return aiSdkChat(c.var.host, c.req.param('id'), input, c.req.raw.signal);
  });
  app.get(resume.path, permit(resume.scope, 'chat'), async (c) => {
    const { contact, id } = c.req.param();
    return resumedChat(c.var.host, contact, id, c.req.raw.signal);
  });
}

/** The request handlers of channels, by name. */
export type ChannelHandlers = ReadonlyMap<
  string,
  {
    readonly handle: (
      request: Request,
      address: string | undefined,
    ) => Promise<Response> | Response;
    readonly bodyBytes?: number | undefined;
  }
>;

/** The channels of a tenant, or of a service without tenants. */
export type ChannelsOf = (tenant?: string) => ChannelHandlers | undefined;

/**
 * Mounts channels below `/channels/<name>/`, and those of tenants below `/tenants/<tenant>/channels/<name>/`. Their senders have
 * no tokens: each channel verifies the signature of its provider. The routes are not in the description of the service, because
 * the providers define them. Spec: docs/channels.md
 */
function mountChannels(
  app: Hono<ServiceEnv>,
  { admitToChannel }: Access,
  channelsOf: ChannelsOf,
): void {
  const admit = admitToChannel(({ tenant, name = '' }) => channelsOf(tenant)?.get(name)?.bodyBytes);
  for (const path of ['/channels/:name/*', '/tenants/:tenant/channels/:name/*'] as const)
    app.all(path, admit, (c) => {
      const { name, tenant } = c.req.param() as { readonly name: string; readonly tenant?: string };
      const channel = channelsOf(tenant)?.get(name);
      return channel?.handle(c.req.raw, c.var.address) ?? unknownChannel(name);
    });
}

function unknownChannel(name: string): Response {
  return problemResponse(
    problem(404, 'request/unknown', `There is no channel ${JSON.stringify(name.slice(0, 100))}.`, {
      hint: 'Compare the address with the names of the channels of the host.',
    }),
  );
}

/** The answer to a request that never reaches the application, such as a request for the path `*`. */
function problemOfTarget(error: unknown): Problem {
  if (!(error instanceof RequestError))
    return problem(500, 'host/failure', 'Dramaturg has failed before it read the request.');
  return problem(400, 'request/invalid', 'The address of the request is not valid.', {
    hint: 'Begin the path with "/", and name the service in the header "host".',
  });
}

/** An error of Node's parser of HTTP. */
interface UnreadableError extends NodeJS.ErrnoException {
  /** The bytes with the request. Not present when none have arrived. */
  readonly rawPacket?: Buffer;
}

/** Answers bytes that are not an HTTP request with an error, and closes the connection. */
function answerUnreadable(error: UnreadableError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const found = unreadable(error.code);
  const body = JSON.stringify(found);
  // A client of HEAD takes a body for the beginning of the next answer (RFC 9110, section 9.3.2).
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${found.status} ${found.title}\r\ncontent-type: ${problemType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}

function unreadable(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem(408, 'request/too-slow', 'The request has not arrived in time.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem(431, 'request/too-large', 'The headers of the request are too large.');
  return problem(400, 'request/invalid', 'The bytes on the connection are not an HTTP request.');
}
