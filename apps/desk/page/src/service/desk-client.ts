import type { Decision } from '@dramaturg/compiler/machine';
import { askHost, HostRequestError, type Query, queryText } from '@dramaturg/react';
import type { Requests } from '@dramaturg/service/client';
import { wording } from '../wording.ts';
import type { Act, JournalEntry, JournalLine } from './protocol.ts';

/** Sends requests with the token of the operator. */
export class Connection {
  readonly #token: string | undefined;
  readonly #onUnauthorised: () => void;

  /** @param onUnauthorised called when the service no longer accepts the token */
  constructor(token: string | undefined, onUnauthorised: () => void) {
    this.#token = token;
    this.#onUnauthorised = onUnauthorised;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * Carries out an operation of the service.
   *
   * @param id the id in the path; empty if the path has none
   * @throws HostRequestError
   */
  async call<Route extends keyof Requests>(
    route: Route,
    id: string,
    input: Requests[Route]['input'],
    signal?: AbortSignal,
  ): Promise<Requests[Route]['body']> {
    const [method, pattern] = route.split(' ') as [string, string];
    const path = pattern.replace(':id', () => encodeURIComponent(id));
    const response =
      method === 'GET'
        ? await this.send(path + queryText(input as Query), signal ? { signal } : {})
        : await this.send(path, {
            method,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(input),
          });
    return response.json() as Promise<Requests[Route]['body']>;
  }

  /** @throws HostRequestError */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      return await askHost('', path, { ...init, headers, credentials: 'omit' });
    } catch (error) {
      if (error instanceof HostRequestError && error.status === 401) this.#onUnauthorised();
      throw error;
    }
  }
}

/** Selects the operators' acts to list. */
type ActFilter = Partial<Pick<Requests['GET /acts']['input'], 'from' | 'by' | 'contact'>>;

/** Number of acts in a page of the service, and maximum number of acts that are read. */
const [actsInPage, actsMax] = [1_000, 5_000];

/** Maximum number of journal lines that are read. */
const journalMax = 2_000;

/** Number of journal lines in a page of the service. */
const linesInPage = 10_000;

/** One function for each request that the page sends. All throw a `HostRequestError`. */
export class DeskClient {
  readonly #connection: Connection;
  readonly #author: { readonly by?: string };

  /** @param author the operator, if the service requires no token. With a token, the service refuses a name in a request */
  constructor(connection: Connection, author?: string) {
    this.#connection = connection;
    this.#author = author === undefined || connection.hasToken ? {} : { by: author };
  }

  readonly me = (signal?: AbortSignal) => this.#connection.call('GET /me', '', {}, signal);

  readonly queues = (signal?: AbortSignal) => this.#connection.call('GET /queues', '', {}, signal);

  readonly inbox = (input: Requests['GET /inbox']['input'], signal?: AbortSignal) =>
    this.#connection.call('GET /inbox', '', input, signal);

  readonly conversation = (id: string, signal?: AbortSignal) =>
    this.#connection.call('GET /instances/:id', id, {}, signal);

  /** Reads the lines from an index on. */
  readonly lines = async (id: string, from: number, signal?: AbortSignal) => {
    const range = { from, limit: 1_000 };
    const route = 'GET /instances/:id/transcript';
    return (await this.#connection.call(route, id, range, signal)).lines;
  };

  /** The bytes of a file of the contact in base64; null when the host does not keep it. */
  readonly attachment = async (id: string, key: string, signal?: AbortSignal) => {
    const route = 'GET /instances/:id/attachment';
    return (await this.#connection.call(route, id, { key }, signal)).base64;
  };

  /** Reads the last lines of the journal. */
  readonly lastJournal = async (id: string, signal?: AbortSignal) => {
    const { journalLength } = await this.conversation(id, signal);
    const range = { from: Math.max(0, journalLength - journalMax), limit: journalMax };
    const { lines } = await this.#connection.call('GET /instances/:id/journal', id, range, signal);
    return (lines as unknown as readonly JournalEntry[]).map(({ event, ...line }): JournalLine => ({
      ...event,
      ...line,
    }));
  };

  readonly charts = (id: string, signal?: AbortSignal) =>
    this.#connection.call('GET /instances/:id/charts', id, {}, signal);

  readonly decisions = (input: Requests['GET /decisions']['input'], signal?: AbortSignal) =>
    this.#connection.call('GET /decisions', '', input, signal);

  readonly decision = (decision: string, signal?: AbortSignal) =>
    this.#connection.call('GET /decisions/:id', decision, {}, signal);

  readonly decide = (decision: string, { by, roles, ...given }: Decision) =>
    this.#connection.call('POST /decisions/:id', decision, {
      ...given,
      ...(!this.#connection.hasToken && { by, roles }),
    });

  /** @param to the colleague who gets it; the operator when left out */
  readonly takeOver = (id: string, to?: string) =>
    this.#connection.call('POST /instances/:id/take-over', id, { ...this.#author, to });
  readonly handBack = (id: string) =>
    this.#connection.call('POST /instances/:id/hand-back', id, this.#author);
  readonly renewClaim = (id: string) =>
    this.#connection.call('POST /instances/:id/claim', id, this.#author);
  /** A resumed conversation first repeats its failed call. Spec: docs/host.md#turns-that-fail */
  readonly retry = (id: string) =>
    this.#connection.call('POST /instances/:id/resume', id, this.#author);
  /** Starts a copy of a failed run, as it was before the step that has ended it: the calls of that step are made again. */
  readonly runAgain = async (id: string) => {
    let step = 0;
    for (let from = 0; ; from += linesInPage) {
      const range = { from, limit: linesInPage };
      const { lines } = await this.#connection.call('GET /instances/:id/journal', id, range);
      const entries = lines as unknown as readonly JournalEntry[];
      const end = entries.findIndex(({ event }) => event.type === 'instance.ended');
      const taken = end === -1 ? entries : entries.slice(0, end);
      step += taken.filter(({ source }) => source === 'step').length;
      if (end !== -1 || entries.length < linesInPage) break;
    }
    if (step < 2) throw new Error(wording.conversation.failedAtOnce);
    return this.#connection.call('POST /instances/:id/fork', id, { step: step - 1 });
  };
  /** @param upTo the last line that the operator has seen: the agent does not answer the lines up to it */
  readonly write = (id: string, text: string, upTo: string | undefined) =>
    this.#connection.call('POST /instances/:id/intervene', id, { ...this.#author, text, upTo });
  readonly note = (id: string, text: string) =>
    this.#connection.call('POST /instances/:id/notes', id, { ...this.#author, text });
  readonly draft = (id: string) =>
    this.#connection.call('POST /instances/:id/draft', id, this.#author);

  /** Lists the acts of operators, the last one first. At most about `actsMax`. */
  readonly acts = async (filter: ActFilter, signal?: AbortSignal) => {
    const acts = await this.#actsUpTo(actsMax, filter, signal);
    return acts.toSorted((one, other) => other.at - one.at);
  };

  /** Exports all acts as a file. */
  readonly exportActs = async (format: 'csv' | 'json', filter: ActFilter) => {
    if (format === 'csv') {
      const response = await this.#connection.send(`/acts${queryText({ ...filter, format })}`);
      return response.blob();
    }
    const acts = await this.#actsUpTo(Infinity, filter);
    return new Blob([JSON.stringify(acts, null, 2)], { type: 'application/json' });
  };

  async #actsUpTo(max: number, filter: ActFilter, signal?: AbortSignal): Promise<Act[]> {
    const acts: Act[] = [];
    let after: string | undefined;
    do {
      const input = { ...filter, format: 'json', limit: actsInPage, after } as const;
      const page = await this.#connection.call('GET /acts', '', input, signal);
      acts.push(...page.items);
      after = page.next;
    } while (after !== undefined && acts.length < max);
    return acts;
  }
}
