import type {
  ChatMessage,
  ChatProblem,
  HistoryAnswer,
  MessageAnswer,
  SentFile,
  SessionAnswer,
} from '../../../src/protocol.ts';
import { config } from '../config.ts';
import type { KeptValues } from './stored-values.ts';

/** A request was refused. Other failures mean that the channel cannot be reached. */
export class RefusedError extends Error {
  readonly problem: ChatProblem;

  constructor(problem: ChatProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Sends the requests of the page, as its visitor. */
export class Api {
  readonly #kept: KeptValues;
  #identity: string | undefined;
  #session: Promise<string> | undefined;

  constructor(kept: KeptValues) {
    this.#kept = kept;
  }

  /** Changes who the visitor is. @param identity signed by the customer's server; undefined for an anonymous visitor */
  identify(identity: string | undefined): void {
    this.#identity = identity;
    this.#session = undefined;
  }

  async send(message: {
    readonly id: string;
    readonly text: string;
    readonly files?: readonly SentFile[] | undefined;
  }): Promise<MessageAnswer> {
    return (await this.#ask('messages', message)).json() as Promise<MessageAnswer>;
  }

  /** Reports that the visitor has seen a message. */
  read({ conversation, id }: ChatMessage): Promise<Response> {
    return this.#ask('read', { conversation, id });
  }

  /** Has the agent speak first. */
  open(): Promise<Response> {
    return this.#ask('open', {});
  }

  stream(signal: AbortSignal): Promise<Response> {
    return this.#ask('stream', undefined, signal);
  }

  async history(): Promise<HistoryAnswer> {
    return (await this.#ask('history')).json() as Promise<HistoryAnswer>;
  }

  async #ask(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const token = await this.#token();
    try {
      return await request(path, { token, body, signal });
    } catch (error) {
      if (!(error instanceof RefusedError) || error.problem.status !== 401) throw error;
      // The session has expired, or the channel has another secret now.
      this.#session = undefined;
      return request(path, { token: await this.#token(), body, signal });
    }
  }

  #token(): Promise<string> {
    const session = (this.#session ??= this.#begin());
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  async #begin(): Promise<string> {
    const identity = this.#identity;
    const isKnown = identity !== undefined;
    const response = await request('session', {
      token: isKnown ? undefined : this.#kept.get('session'),
      body: { definition: config.definition, ...(isKnown && { identity }) },
    });
    const { token } = (await response.json()) as SessionAnswer;
    // The identity of a customer is not kept: the site gives it again on each page.
    if (!isKnown) this.#kept.set('session', token);
    return token;
  }
}

/** In UTF-16 units. Browsers allow 64 KiB for all such requests. */
const keptLength = 10_000;

interface RequestOptions {
  readonly token: string | undefined;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws RefusedError; TypeError when the channel cannot be reached */
async function request(path: string, { token, body, signal }: RequestOptions): Promise<Response> {
  const text = body && JSON.stringify(body);
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(text !== undefined && { body: text }),
    ...(signal && { signal }),
    // Requests that are sent while the page is left arrive too. Browsers refuse this for long ones.
    keepalive: text !== undefined && text.length < keptLength,
    // No cookie is used, so none is sent.
    credentials: 'omit',
    cache: 'no-store',
  });
  if (response.ok) return response;
  const { status } = response;
  const problem = await response.json().catch(() => ({ code: '', detail: `${status}` }));
  throw new RefusedError({ ...(problem as ChatProblem), status });
}
