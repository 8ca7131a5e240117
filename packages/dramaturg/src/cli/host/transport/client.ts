import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Answer, HostEvent } from '@dramaturg/host';
import type { z } from 'zod';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { Desk, Events, ServedDesk } from '../desk/desk.ts';
import {
  eventsPath,
  exportPath,
  idIn,
  type Input,
  largestBody,
  type Output,
  pathOf,
  type RouteName,
  routes,
} from './routes.ts';
import { connectTo } from './socket.ts';
import { EventRefusedError, RemoteError } from './failure.ts';
import { wire } from './wire.ts';

/** How long to wait for the head of a response, or for a sign that the host is still working on it. */
const responseTimeoutMs = 60_000;

/**
 * The desk of a host in another process, through the socket of its store. Each call opens a connection of its own and owns
 * it: there is nothing to close between calls. `events` keeps its connection until its caller closes it.
 */
export class Client implements ServedDesk {
  readonly isServed = true;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  readonly list: Desk['list'] = async (filter, page) =>
    (await this.#ask('list', '', { ...filter, ...page })) as Awaited<ReturnType<Desk['list']>>;
  readonly find: Desk['find'] = async (prefix) =>
    (await this.#ask('find', '', { prefix })).items as Awaited<ReturnType<Desk['find']>>;
  readonly get: Desk['get'] = async (id) =>
    (await this.#ask('get', id, {})) as Awaited<ReturnType<Desk['get']>>;
  readonly items: Desk['items'] = async (id, filter, page) =>
    (await this.#ask('items', id, { ...filter, ...page })) as Awaited<ReturnType<Desk['items']>>;
  readonly transcript: Desk['transcript'] = async (id, range) =>
    (await this.#ask('transcript', id, range)).lines;
  readonly journal: Desk['journal'] = async (id, range) =>
    (await this.#ask('journal', id, range)).lines;
  readonly charts: Desk['charts'] = (id) => this.#ask('charts', id, {});
  readonly decisions: Desk['decisions'] = async (filter, page) =>
    (await this.#ask('decisions', '', { ...filter, ...page } as never)) as Awaited<
      ReturnType<Desk['decisions']>
    >;
  readonly decision: Desk['decision'] = async (decision) =>
    (await this.#ask('decision', decision, {})) as Awaited<ReturnType<Desk['decision']>>;
  readonly decide: Desk['decide'] = (decision, given) =>
    answerOf(this.#ask('decide', decision, given as never));
  readonly checkpoints: Desk['checkpoints'] = async (id) =>
    (await this.#ask('checkpoints', id, {})).items as Awaited<ReturnType<Desk['checkpoints']>>;
  readonly damaged: Desk['damaged'] = async () =>
    (await this.#ask('damaged', '', {})).records as Awaited<ReturnType<Desk['damaged']>>;
  readonly start: Desk['start'] = (order) => this.#ask('start', '', order);
  readonly send: Desk['send'] = (id, event) => answerOf(this.#ask('send', id, { event }));
  readonly receive: Desk['receive'] = async (message) => {
    const { id, ...rest } = message;
    const sent = { ...rest, ...(id === undefined ? {} : { id }) };
    try {
      return await this.#ask('receive', '', sent);
    } catch (error) {
      if (error instanceof EventRefusedError)
        return { instance: error.instance ?? '', ...error.answer };
      throw error;
    }
  };
  readonly fork: Desk['fork'] = (id, at) => this.#ask('fork', id, at);
  readonly pause: Desk['pause'] = (id) => answerOf(this.#ask('pause', id, {}));
  readonly resume: Desk['resume'] = (id) => answerOf(this.#ask('resume', id, {}));
  readonly cancel: Desk['cancel'] = (id, reason) =>
    answerOf(this.#ask('cancel', id, reason === undefined ? {} : { reason }));
  readonly intervene: Desk['intervene'] = (id, text) =>
    answerOf(this.#ask('intervene', id, { text }));
  readonly erase: Desk['erase'] = (options) => this.#ask('erase', '', options);
  readonly backup: Desk['backup'] = async (target) =>
    void (await this.#ask('backup', '', { target }));
  readonly verify: Desk['verify'] = async () =>
    (await this.#ask('verify', '', {})) as Awaited<ReturnType<Desk['verify']>>;
  readonly export: Desk['export'] = (contact) => this.#export(contact);
  readonly settle = () => Promise.resolve(undefined);
  readonly close = () => Promise.resolve();

  /** Resolves once the host has begun to send its events. */
  async events(filter: { readonly instance?: string }): Promise<Events> {
    const stream = await this.#request('GET', `${eventsPath}?${queryOf(filter)}`, undefined);
    return {
      [Symbol.asyncIterator]: () => eventsIn(stream),
      close: () => void stream.destroy(),
    };
  }

  async *#export(contact: string): AsyncGenerator<string> {
    const stream = await this.#request('GET', `${exportPath}?${queryOf({ contact })}`, undefined);
    stream.setEncoding('utf8');
    try {
      for await (const part of stream) yield part as string;
    } catch (error) {
      throw connectionLost('export', error as Error);
    }
  }

  async #ask<Name extends RouteName>(
    name: Name,
    id: string,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    const { method, path, output } = routes[name];
    const target = pathOf(path, id);
    // An id such as ".." changes the path.
    if (idIn(path, new URL(target, 'http://host').pathname) !== id) {
      throw new RemoteError({
        error: `There is no instance ${JSON.stringify(id)}.`,
        code: 'host/unknown-instance',
      });
    }
    const stream =
      method === 'GET'
        ? await this.#request(method, `${target}?${queryOf(input)}`, undefined)
        : await this.#request(method, target, JSON.stringify(input));
    const checked = (output as z.ZodType).safeParse(jsonIn(await readBody(stream)));
    if (checked.success) return checked.data as Output<Name>;
    throw notUnderstood();
  }

  async #request(method: string, target: string, body: string | undefined): Promise<Readable> {
    if (body !== undefined && Buffer.byteLength(body) > largestBody) {
      throw new UsageError(
        `A running host accepts at most ${largestBody / 1_000_000} MB at once.`,
        'Pass a large definition to the host itself: dramaturg serve <store> --definition <file>.',
      );
    }
    // Loaded here because it is slow to load and most commands do not need it.
    const { request } = await import('node:http');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request({
        method,
        path: target,
        createConnection: () => connectTo(this.#folder),
        headers: {
          host: 'localhost',
          connection: 'close',
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      });
      const timeout = setTimeout(() => {
        outgoing.destroy();
        reject(
          unavailable(
            `The host of the store does not answer within ${responseTimeoutMs / 1000} seconds.`,
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

async function answerOf(asked: Promise<unknown>): Promise<Answer> {
  try {
    return (await asked) as Answer;
  } catch (error) {
    if (error instanceof EventRefusedError) return error.answer;
    throw error;
  }
}

function errorFor(body: unknown): Error {
  const failure = wire.failure.safeParse(body);
  if (!failure.success) return notUnderstood();
  const { error, code, details } = failure.data;
  if (code !== 'instance/refused') return new RemoteError({ error, code, details });
  const refused = Object(details) as Record<string, unknown>;
  const { instance, state, code: reason, accepts, retryAfterMs } = refused;
  return new EventRefusedError(
    {
      accepted: false,
      state: String(state),
      code: String(reason),
      because: error,
      accepts: Array.isArray(accepts) ? accepts.map(String) : [],
      ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    },
    typeof instance === 'string' ? instance : undefined,
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

function connectionLost(during: string, { message }: Error): UsageError {
  return unavailable(
    `The connection to the host was lost during the ${during}: ${message}.`,
    'Run the command again. Acknowledged changes are stored.',
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Yields the events of a stream, and ends when the host stops. */
async function* eventsIn(stream: Readable): AsyncGenerator<HostEvent> {
  stream.setEncoding('utf8');
  let rest = '';
  try {
    for await (const part of stream) {
      const lines = (rest + (part as string)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const value = jsonIn(line);
        const failure = wire.failure.safeParse(value);
        if (failure.success) throw errorFor(value);
        const event = wire.hostEvent.safeParse(value);
        if (event.success) yield event.data as HostEvent;
      }
    }
  } catch (error) {
    // A killed host resets the connection. For the listener it has stopped.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}

function unavailable(message: string, hint: string): UsageError {
  return new UsageError(message, hint, exitCodes.storeUnusable, 'host/unavailable');
}

function notUnderstood(): UsageError {
  return unavailable(
    'The host of the store sent an answer that this version does not understand.',
    'Use the same version of Dramaturg for the host and for the command.',
  );
}
