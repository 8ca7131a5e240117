import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { EventFilter, HostEvent } from '@dramaturg/host';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { defaultLimits } from '../access/limits.ts';
import { EventRefusedError, RemoteError, RequestError, UnreachableError } from '../failure.ts';
import { eventsRoute, operations, type Operations } from '../operations.ts';
import type { Operation } from '../operations/operation.ts';
import { problemSchema } from '../problem.ts';
import { wire } from '../wire/wire.ts';

const { bodyBytes: largestBody } = defaultLimits;

/** The timeout for the head of a response, or for a sign that the host is still working on the request. */
const responseTimeoutMs = 60_000;

/** The operations of a host in another process, and its events. */
export interface ServiceClient extends Operations {
  /** Resolves once the host has begun to send its events. */
  readonly events: (filter?: Omit<EventFilter, 'signal'>) => Promise<Events>;
}

/**
 * Each call opens a connection of its own and owns it: there is nothing to close between calls. `events` keeps its connection until its
 * caller closes it.
 */
export function serviceClient(connection: Connection): ServiceClient {
  const service = new RemoteService(connection);
  const calls = Object.entries<Operation>(operations).map(([name, row]) => {
    const call = (id: string, input: object = {}) =>
      row.isStream ? service.stream(row, input) : service.call(row, id, input);
    return [name, row.path.includes(':id') ? call : (input?: object) => call('', input)];
  });
  return {
    ...(Object.fromEntries(calls) as Operations),
    events: async ({ types, ...filter } = {}) => {
      const query = queryOf({ ...filter, types: types?.join(',') });
      return eventsIn(await service.request('GET', `${eventsRoute.path}?${query}`));
    },
  };
}

class RemoteService {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async call(row: Operation, id: string, input: object): Promise<unknown> {
    try {
      const body = await this.#ask(row, id, input);
      return row.field === undefined ? resultIn(body, input) : body[row.field];
    } catch (error) {
      if (!(error instanceof EventRefusedError)) throw error;
      const { instance, answer } = error;
      return { ...(instance !== undefined && { instance }), ...answer };
    }
  }

  async *stream({ method, path }: Operation, input: object): AsyncGenerator<string> {
    const stream = await this.request(method, `${path}?${queryOf(input)}`);
    stream.setEncoding('utf8');
    try {
      for await (const part of stream) yield part as string;
    } catch (error) {
      throw connectionLost('export', error as Error);
    }
  }

  async #ask(
    { method, path, output }: Operation,
    id: string,
    input: object,
  ): Promise<Readonly<Record<string, unknown>>> {
    const target = path.replace(':id', () => encodeURIComponent(id));
    if (!leadsTo(target))
      throw new RequestError(
        'host/unknown-instance',
        `There is no instance ${JSON.stringify(id)}.`,
      );
    const stream =
      method === 'GET'
        ? await this.request(method, `${target}?${queryOf(input)}`)
        : await this.request(method, target, JSON.stringify(input));
    const checked = output.safeParse(jsonIn(await readBody(stream)));
    if (checked.success) return checked.data as Readonly<Record<string, unknown>>;
    throw notUnderstood();
  }

  async request(method: string, target: string, body?: string): Promise<Readable> {
    if (body !== undefined && Buffer.byteLength(body) > largestBody) {
      throw new RequestError(
        'request/too-large',
        `A running host accepts at most ${largestBody / 1_000_000} MB at once.`,
        {
          hint: 'Pass a large definition to the host itself: dramaturg serve <store> --definition <file>.',
        },
      );
    }
    const outgoing = await this.#connection.request({
      method,
      path: target,
      headers:
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const timeout = setTimeout(() => {
        outgoing.destroy();
        reject(
          new UnreachableError(
            `${this.#connection.name} does not answer within ${responseTimeoutMs / 1000} seconds.`,
            'Check what its process is doing.',
          ),
        );
      }, responseTimeoutMs);
      outgoing.on('information', () => timeout.refresh());
      outgoing.once('response', (answer) => {
        clearTimeout(timeout);
        resolve(answer);
      });
      outgoing.once('error', (error: Error) => {
        clearTimeout(timeout);
        reject(connectionLost('request', error));
      });
      outgoing.end(body);
    });
    const { statusCode = 0 } = response;
    if (statusCode < 400) return response;
    throw errorFor(jsonIn(await readBody(response)));
  }
}

/** A repeated message has had its effect before. The host refuses it; a service answers with `repeated`. */
function resultIn(body: Readonly<Record<string, unknown>>, input: object): unknown {
  const { instance, state, repeated } = body;
  if (repeated !== true) return body;
  const { id } = input as { readonly id?: string };
  const because = `The message ${JSON.stringify(id)} was received before.`;
  return { instance, accepted: false, state, code: 'message/repeated', because, accepts: [] };
}

/** Whether a path still contains its id after normalization: an id such as ".." changes the path. */
function leadsTo(path: string): boolean {
  return (
    new URL(path, 'http://host').pathname === path && !path.includes('//') && !path.endsWith('/')
  );
}

function errorFor(body: unknown): Error {
  const found = problemSchema.safeParse(body);
  if (!found.success) return notUnderstood();
  const { refused, code, detail } = found.data;
  if (!refused) return new RemoteError(found.data);
  const { instance, retryAfterMs, ...rest } = refused;
  return new EventRefusedError(
    {
      accepted: false,
      code,
      because: detail,
      ...rest,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    instance,
  );
}

function queryOf(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

async function readBody(stream: Readable): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  try {
    for await (const part of stream) text += part as string;
  } catch (error) {
    throw connectionLost('response', error as Error);
  }
  return text;
}

function connectionLost(during: string, error: Error): UnreachableError {
  return new UnreachableError(
    `The connection to the host was lost during the ${during}: ${error.message}.`,
    'Run the command again. Acknowledged changes are stored.',
    { cause: error },
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notUnderstood(): UnreachableError {
  return new UnreachableError(
    'The host of the store sent an answer that this version does not understand.',
    'Use the same version of Dramaturg for the host and for the command.',
  );
}

/** The events of a host as they happen. */
export interface Events extends AsyncIterable<HostEvent> {
  readonly close: () => void;
}

/** Reads the events in a stream of server-sent events. The iteration ends when the host stops. */
function eventsIn(stream: Readable): Events {
  return {
    [Symbol.asyncIterator]: () => read(stream),
    close: () => void stream.destroy(),
  };
}

async function* read(stream: Readable): AsyncGenerator<HostEvent> {
  stream.setEncoding('utf8');
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  try {
    for await (const part of stream) {
      parser.feed(part as string);
      for (const { event: kind, data } of messages.splice(0)) {
        if (kind === 'end') return;
        if (kind === 'problem') throw new RemoteError(problemSchema.parse(JSON.parse(data)));
        const event = wire.hostEvent.safeParse(JSON.parse(data));
        if (event.success) yield event.data as HostEvent;
      }
    }
  } catch (error) {
    // A killed host resets the connection. That counts as a stopped host.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}

interface RequestHead {
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
