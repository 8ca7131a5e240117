import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Answer, HostEvent } from '@dramaturg/host';
import type { z } from 'zod';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { Desk, Events } from '../desk/desk.ts';
import {
  eventsPath,
  idIn,
  type Input,
  largestBody,
  type Output,
  pathOf,
  type RouteName,
  routes,
} from './routes.ts';
import { connectTo } from './socket.ts';
import { Refusal, RemoteError } from './failure.ts';
import { wire } from './wire.ts';

/** Milliseconds without a sign of a host that has been asked: a channel has half of it. */
const patience = 60_000;

/** The desk of a host in another process, by way of its socket. */
export class Client implements Desk {
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
      if (error instanceof Refusal) return { instance: error.instance ?? '', ...error.answer };
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
  readonly settle = () => Promise.resolve(undefined);
  readonly close = () => Promise.resolve();

  /** Fulfils once the host tells its events. */
  async events(filter: { readonly instance?: string }): Promise<Events> {
    const stream = await this.#request('GET', `${eventsPath}?${queryOf(filter)}`, undefined);
    return {
      [Symbol.asyncIterator]: () => eventsIn(stream),
      close: () => void stream.destroy(),
    };
  }

  async #ask<Name extends RouteName>(
    name: Name,
    id: string,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    const { method, path, output } = routes[name];
    const target = pathOf(path, id);
    // An id such as ".." is no part of a path.
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
    const checked = (output as z.ZodType).safeParse(jsonIn(await textOf(stream)));
    if (checked.success) return checked.data as Output<Name>;
    throw notUnderstood();
  }

  async #request(method: string, target: string, body: string | undefined): Promise<Readable> {
    if (body !== undefined && Buffer.byteLength(body) > largestBody) {
      throw new UsageError(
        `A running host takes at most ${largestBody / 1_000_000} MB at once.`,
        'Give a large definition to the host itself: dramaturg serve <store> --definition <file>.',
      );
    }
    // Loaded here, because it takes its time, and most commands can do without.
    const { request } = await import('node:http');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request({
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
      const giveUp = setTimeout(() => {
        asked.destroy();
        reject(
          unavailable('The host of the store does not answer.', 'Look at what its process does.'),
        );
      }, patience);
      asked.once('response', (answer) => {
        clearTimeout(giveUp);
        resolve(answer);
      });
      asked.once('error', (error: Error) => {
        clearTimeout(giveUp);
        reject(
          unavailable(
            `The host of the store has gone while it was asked: ${error.message}.`,
            'Run the command again: what was acknowledged is stored.',
          ),
        );
      });
      asked.end(body);
    });
    const { statusCode = 0 } = response;
    if (statusCode < 400) return response;
    throw troubleOf(jsonIn(await textOf(response)));
  }
}

async function answerOf(asked: Promise<unknown>): Promise<Answer> {
  try {
    return (await asked) as Answer;
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function troubleOf(body: unknown): Error {
  const failure = wire.failure.safeParse(body);
  if (!failure.success) return notUnderstood();
  const { error, code, details } = failure.data;
  if (code !== 'instance/refused') return new RemoteError({ error, code, details });
  const { instance, state, code: reason, accepts } = Object(details) as Record<string, unknown>;
  return new Refusal(
    {
      accepted: false,
      state: String(state),
      code: String(reason),
      because: error,
      accepts: Array.isArray(accepts) ? accepts.map(String) : [],
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

async function textOf(stream: Readable): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  try {
    for await (const part of stream) text += part as string;
  } catch (error) {
    throw unavailable(
      `The host of the store has gone while it answered: ${(error as Error).message}.`,
      'Run the command again: what was acknowledged is stored.',
    );
  }
  return text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ends when the host stops. */
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
        if (failure.success) throw troubleOf(value);
        const event = wire.hostEvent.safeParse(value);
        if (event.success) yield event.data as HostEvent;
      }
    }
  } catch (error) {
    // A host that was killed says nothing any more: for whoever listens it has stopped.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}

function unavailable(message: string, hint: string): UsageError {
  return new UsageError(message, hint, exitCodes.storeUnusable);
}

function notUnderstood(): UsageError {
  return unavailable(
    'The host of the store answers something that this release does not understand.',
    'Use the same release of Dramaturg for the host and for the command.',
  );
}
