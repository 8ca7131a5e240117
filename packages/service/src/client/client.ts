import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Answer, EventFilter, WrittenContact } from '@dramaturg/host';
import type { z } from 'zod';
import { EventRefusedError, RemoteError, RequestError, UnreachableError } from '../failure.ts';
import type { Operations } from '../operations.ts';
import { problemSchema } from '../problem.ts';
import {
  eventsRoute,
  exportRoute,
  type Input,
  largestBody,
  leadsTo,
  type Output,
  pathOf,
  type RouteName,
  routes,
} from '../routes.ts';
import type { Connection } from './connection.ts';
import { type Events, eventsIn } from './events.ts';

/** How long to wait for the head of a response, or for a sign that the host is still working on it. */
const responseTimeoutMs = 60_000;

/**
 * The operations of a host in another process. Each call opens a connection of its own and owns it: there is nothing to close
 * between calls. `events` keeps its connection until its caller closes it.
 */
export class ServiceClient implements Operations {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  readonly list: Operations['list'] = async (filter, page) =>
    (await this.#ask('list', '', { ...filter, ...page })) as Awaited<
      ReturnType<Operations['list']>
    >;
  readonly find: Operations['find'] = async (prefix) =>
    (await this.#ask('find', '', { prefix })).items as Awaited<ReturnType<Operations['find']>>;
  /** Who the token names, and what it may do. */
  readonly me = () => this.#ask('me', '', {});
  readonly queues: Operations['queues'] = () => this.#ask('queues', '', {});
  readonly inbox: Operations['inbox'] = async ({ text: q, ...filter }, page) =>
    (await this.#ask('inbox', '', { ...filter, q, ...page } as never)) as Awaited<
      ReturnType<Operations['inbox']>
    >;
  readonly acts: Operations['acts'] = async (filter, page) =>
    (await this.#ask('acts', '', { ...filter, ...page } as never)) as Awaited<
      ReturnType<Operations['acts']>
    >;
  readonly get: Operations['get'] = async (id) =>
    (await this.#ask('get', id, {})) as Awaited<ReturnType<Operations['get']>>;
  readonly items: Operations['items'] = async (id, filter, page) =>
    (await this.#ask('items', id, { ...filter, ...page })) as Awaited<
      ReturnType<Operations['items']>
    >;
  readonly transcript: Operations['transcript'] = async (id, range) =>
    (await this.#ask('transcript', id, range)).lines;
  readonly journal: Operations['journal'] = async (id, range) =>
    (await this.#ask('journal', id, range)).lines;
  readonly charts: Operations['charts'] = (id) => this.#ask('charts', id, {});
  readonly decisions: Operations['decisions'] = async (filter, page) =>
    (await this.#ask('decisions', '', { ...filter, ...page } as never)) as Awaited<
      ReturnType<Operations['decisions']>
    >;
  readonly decision: Operations['decision'] = async (decision) =>
    (await this.#ask('decision', decision, {})) as Awaited<ReturnType<Operations['decision']>>;
  readonly decide: Operations['decide'] = (decision, given) =>
    answerOf(this.#ask('decide', decision, given as never));
  readonly checkpoints: Operations['checkpoints'] = async (id) =>
    (await this.#ask('checkpoints', id, {})).items as Awaited<
      ReturnType<Operations['checkpoints']>
    >;
  readonly damaged: Operations['damaged'] = async () =>
    (await this.#ask('damaged', '', {})).records as Awaited<ReturnType<Operations['damaged']>>;
  readonly start: Operations['start'] = (order) => this.#ask('start', '', order);
  readonly send: Operations['send'] = (id, event) => answerOf(this.#ask('send', id, { event }));
  readonly receive: Operations['receive'] = async (message) => {
    try {
      const routed = await this.#ask('receive', '', message);
      if (routed.instance === null || routed.repeated !== true) return routed;
      const { instance, state } = routed;
      const because = `The message ${JSON.stringify(message.id)} was received before.`;
      return { instance, accepted: false, state, code: 'message/repeated', because, accepts: [] };
    } catch (error) {
      if (error instanceof EventRefusedError)
        return { instance: error.instance ?? '', ...error.answer };
      throw error;
    }
  };
  readonly fork: Operations['fork'] = (id, at) => this.#ask('fork', id, at);
  readonly pause: Operations['pause'] = (id, act = {}) => answerOf(this.#ask('pause', id, act));
  readonly resume: Operations['resume'] = (id, act = {}) => answerOf(this.#ask('resume', id, act));
  readonly cancel: Operations['cancel'] = (id, reason, act = {}) =>
    answerOf(this.#ask('cancel', id, { ...act, ...(reason === undefined ? {} : { reason }) }));
  readonly intervene: Operations['intervene'] = (id, text, act = {}) =>
    answerOf(this.#ask('intervene', id, { ...act, text }));
  readonly takeOver: Operations['takeOver'] = (id, options) =>
    answerOf(this.#ask('takeOver', id, options));
  readonly renewClaim: Operations['renewClaim'] = (id, options) =>
    answerOf(this.#ask('renewClaim', id, options));
  readonly handBack: Operations['handBack'] = (id, act) => answerOf(this.#ask('handBack', id, act));
  readonly migrate: Operations['migrate'] = (id, options = {}) =>
    answerOf(this.#ask('migrate', id, options));
  readonly undoMigration: Operations['undoMigration'] = (id) =>
    answerOf(this.#ask('migrate', id, { undo: true }));
  readonly assess: Operations['assess'] = async (definition, map, page) =>
    (await this.#ask('assess', '', { definition, map, ...page })) as Awaited<
      ReturnType<Operations['assess']>
    >;
  readonly addNote: Operations['addNote'] = (id, text, options) =>
    answerOf(this.#ask('addNote', id, { ...options, text }));
  readonly draft: Operations['draft'] = (id, { by }) =>
    this.#ask('draft', id, by === undefined ? {} : { by });
  readonly erase: Operations['erase'] = (options) => this.#ask('erase', '', options);
  readonly backup: Operations['backup'] = async (target) =>
    void (await this.#ask('backup', '', { target }));
  readonly verify: Operations['verify'] = async () =>
    (await this.#ask('verify', '', {})) as Awaited<ReturnType<Operations['verify']>>;
  readonly export: Operations['export'] = (given) => this.#export(given);
  readonly definitions: Operations['definitions'] = async () =>
    (await this.#ask('definitions', '', {})).items;
  readonly check: Operations['check'] = async (file) =>
    (await this.#ask('check', '', file)).diagnostics as Awaited<ReturnType<Operations['check']>>;
  readonly define: Operations['define'] = ({ name, ...file }) => this.#ask('define', name, file);

  /** Resolves once the host has begun to send its events. */
  async events({ types, ...filter }: Omit<EventFilter, 'signal'> = {}): Promise<Events> {
    const query = queryOf({ ...filter, types: types?.join(',') });
    return eventsIn(await this.#request('GET', `${eventsRoute.path}?${query}`, undefined));
  }

  async *#export({ contact, channel }: WrittenContact): AsyncGenerator<string> {
    const stream = await this.#request(
      'GET',
      `${exportRoute.path}?${queryOf({ contact, channel })}`,
      undefined,
    );
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
    if (!leadsTo(target))
      throw new RequestError(
        'host/unknown-instance',
        `There is no instance ${JSON.stringify(id)}.`,
      );
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

async function answerOf(asked: Promise<unknown>): Promise<Answer> {
  try {
    return (await asked) as Answer;
  } catch (error) {
    if (error instanceof EventRefusedError) return error.answer;
    throw error;
  }
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
