import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { mountFrontEnds } from '../front-ends/mount.ts';
import { connectionsMax, serverOptions } from '../access/limits.ts';
import { openApi } from '../openapi/document.ts';
import { problem, problemResponse } from '../problem.ts';
import { problemIn } from '../failure.ts';
import { type Access, routesApp, type ServiceEnv, withProblems } from './app.ts';
import { type ChannelsOf, mountChannels } from './channels.ts';
import { answerUnreadable, problemOfTarget } from './unreadable-request.ts';

export interface ServiceOptions {
  readonly access: Access;
  /** Rejects while the service cannot answer requests: its host stops, or has lost its store. */
  readonly ready: () => Promise<ReadyDetails>;
  /** The channels that answer requests. */
  readonly channels?: ChannelsOf | undefined;
  /** Routes in front of all checks, such as the files of a page: they are the same for everybody and contain no data. */
  readonly mountPublic?: (app: Hono<ServiceEnv>) => void;
  /** Further routes, such as protocols for front ends. What they keep open ends with the signal. */
  readonly mount?: (app: Hono<ServiceEnv>, access: Access, ended: AbortSignal) => void;
  /** Aborted when the application answers no more requests. */
  readonly ended?: AbortSignal;
}

/** What `/readyz` says of a service that is ready. */
export interface ReadyDetails {
  /** How many instances are set aside, if there are any. */
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
