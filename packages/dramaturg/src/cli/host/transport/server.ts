import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { withoutSecrets } from '@dramaturg/compiler';
import type { Answer } from '@dramaturg/host';
import { z } from 'zod';
import { UsageError } from '../../usage-error.ts';
import type { LocalDesk } from '../desk/local-desk.ts';
import {
  eventsPath,
  exportPath,
  idIn,
  type Input,
  largestBody,
  type Output,
  type RouteName,
  routes,
} from './routes.ts';
import { statusOfHost } from './host-status.ts';
import { EventRefusedError, statusFor, type Failure, failureIn } from './failure.ts';
import { wire } from './wire.ts';

type Handlers = {
  readonly [Name in RouteName]: (
    id: string,
    input: Input<Name>,
    /** Aborts when the client has disconnected. */
    signal: AbortSignal,
  ) => Promise<unknown>;
};

type Handle = (id: string, input: unknown, signal: AbortSignal) => Promise<Output<RouteName>>;

/** Milliseconds between two signs of life while a request is worked on. A client gives up without them. */
const workingIntervalMs = 10_000;

/**
 * Creates the server of a host's API. The caller owns it: it makes the server listen, closes it, and then closes the desk.
 * The server keeps no state between requests. A stream of events lives until its client disconnects or the host stops.
 */
export async function serverFor(desk: LocalDesk): Promise<Server> {
  // Loaded here because it is slow to load and most commands do not need it.
  const { createServer } = await import('node:http');
  const handlers = handlersFor(desk);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = 256;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // A client that has disconnected needs no answer.
    response.on('error', () => {});
    answer(request, response, desk, handlers).catch((error: unknown) => refuse(response, error));
  });
  return server;
}

function handlersFor(desk: LocalDesk): Handlers {
  return {
    status: () => statusOfHost(desk),
    damaged: async () => ({ records: await desk.damaged() }),
    list: (_, { after, limit, ...filter }) =>
      desk.list(given(filter), { limit, ...given({ after }) }),
    find: async (_, { prefix }) => ({ items: await desk.find(prefix) }),
    get: (id) => desk.get(id),
    transcript: async (id, range) => {
      await desk.get(id);
      return { lines: await desk.transcript(id, range) };
    },
    journal: async (id, range) => {
      await desk.get(id);
      return { lines: await desk.journal(id, range) };
    },
    charts: (id) => desk.charts(id),
    items: (id, { after, limit, ...filter }) =>
      desk.items(id, given(filter), { limit, ...given({ after }) }),
    decisions: (_, { after, limit, ...filter }) =>
      desk.decisions(given(filter), { limit, ...given({ after }) }),
    decision: (id) => desk.decision(id),
    decide: async (id, decided) => accepted(await desk.decide(id, given(decided))),
    checkpoints: async (id) => ({ items: await desk.checkpoints(id) }),
    start: (_, order) => desk.start(order),
    send: async (id, { event }) => accepted(await desk.send(id, event)),
    pause: async (id) => accepted(await desk.pause(id)),
    resume: async (id) => accepted(await desk.resume(id)),
    cancel: async (id, { reason }) => accepted(await desk.cancel(id, reason)),
    intervene: async (id, { text }) => accepted(await desk.intervene(id, text)),
    fork: (id, at, signal) => desk.fork(id, 'step' in at ? { ...given(at), signal } : given(at)),
    erase: (_, options) => desk.erase(options),
    backup: async (_, { target }) => {
      await desk.backup(target);
      return {};
    },
    verify: () => desk.verify(() => {}),
    receive: async (_, { contact, text, id }) => {
      const routed = await desk.receive({ contact, text, ...(id === undefined ? {} : { id }) });
      if (routed.instance !== null) accepted(routed, routed.instance);
      return routed;
    },
  };
}

/** Removes undefined fields: the host does not treat them as left out. */
function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as never;
}

function accepted(result: Answer, instance?: string): Answer {
  if (!result.accepted) throw new EventRefusedError(result, instance);
  return result;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  desk: LocalDesk,
  handlers: Handlers,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
  const query = Object.fromEntries(searchParams);
  if (request.method === 'GET' && pathname === eventsPath) {
    await streamEvents(response, desk, checked(wire.eventFilter, query));
    return;
  }
  if (request.method === 'GET' && pathname === exportPath) {
    await streamExport(response, desk, checked(wire.exported, query).contact);
    return;
  }
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path, input, status } = routes[name];
    const id = method === request.method ? idIn(path, pathname) : undefined;
    if (id === undefined) continue;
    const body = checked(input, method === 'GET' ? query : await bodyOf(request));
    const handle = handlers[name] as Handle;
    const leaving = new AbortController();
    response.once('close', () => leaving.abort(new UsageError('The client has disconnected.')));
    const isWorking = setInterval(() => response.writeProcessing(), workingIntervalMs);
    try {
      reply(response, status, await handle(id, body, leaving.signal));
    } finally {
      clearInterval(isWorking);
    }
    return;
  }
  const what = `${request.method} ${pathname}`;
  reply(response, 404, { error: `There is no route ${what}.`, code: 'request/unknown' });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > largestBody) {
      throw new UsageError(`The body is larger than ${largestBody} bytes.`, 'Send less at once.');
    }
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The body is not JSON: ${(error as Error).message}.`);
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = parsed(schema, value);
  if (result.success) return result.data;
  throw new UsageError(`The request is not valid: ${z.prettifyError(result.error)}`);
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    // Deeply nested JSON can exceed the stack.
    if (error instanceof RangeError) throw new UsageError('The request is nested too deeply.');
    throw error;
  }
}

/** Sends events as they happen, until the host stops or the client disconnects. */
async function streamEvents(
  response: ServerResponse,
  { host }: LocalDesk,
  { instance }: { readonly instance?: string | undefined },
): Promise<void> {
  const events = host.events(instance === undefined ? {} : { instance });
  response.once('close', () => void events.return?.());
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  try {
    for await (const event of events) {
      if (!response.write(`${JSON.stringify(event)}\n`) && !response.destroyed)
        await drained(response);
    }
    response.end();
  } catch (error) {
    const failure = failureIn(error);
    response.end(failure ? `${JSON.stringify(failure)}\n` : '');
  }
}

/** Sends everything about a contact. A failure after the first part breaks the connection off. */
async function streamExport(
  response: ServerResponse,
  desk: LocalDesk,
  contact: string,
): Promise<void> {
  try {
    for await (const part of desk.export(contact)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
      if (response.destroyed) return;
      if (!response.write(part)) await drained(response);
    }
    response.end();
  } catch (error) {
    if (!response.headersSent) throw error;
    response.destroy();
  }
}

/** A client that reads nothing for so long is disconnected, because it holds one of the connections. */
const stalledMs = 60_000;

async function drained(response: ServerResponse): Promise<void> {
  const stalled = setTimeout(() => response.destroy(), stalledMs);
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
  clearTimeout(stalled);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof EventRefusedError) {
    const { because, code, state, accepts, retryAfterMs } = error.answer;
    const { instance } = error;
    const which = instance === undefined ? {} : { instance };
    const later = retryAfterMs === undefined ? {} : { retryAfterMs };
    const details = { ...which, state, code, accepts: [...accepts], ...later };
    if (retryAfterMs !== undefined)
      response.setHeader('retry-after', Math.ceil(retryAfterMs / 1_000));
    const status = retryAfterMs === undefined ? 409 : 429;
    reply(response, status, {
      error: because,
      code: 'instance/refused',
      details,
    } satisfies Failure);
    return;
  }
  const failure = failureIn(error);
  if (failure) return reply(response, statusFor(failure), failure);
  const message = error instanceof Error ? error.message : String(error);
  reply(response, 500, {
    error: `Dramaturg has failed: ${withoutSecrets(message)}`,
    code: 'host/failure',
  });
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.end();
  // The rest of a body that is too large may still be on its way.
  if (status >= 400) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
