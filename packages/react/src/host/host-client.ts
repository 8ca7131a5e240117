import { DramaturgError, type EventObject, type Json, type JsonObject } from '@dramaturg/compiler';
import type {
  Answer,
  HostEvent,
  InstanceSummary,
  InstanceView,
  Routed,
  TranscriptLine,
} from '@dramaturg/host';
import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface HostClientOptions {
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request, or an unreachable host: then `code` is `connection/lost`. */
export class HostRequestError extends DramaturgError {
  override readonly name = 'HostRequestError';
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem, status: number, options?: ErrorOptions) {
    super(problem.code, problem.detail, options);
    this.status = status;
    this.problem = problem;
  }
}

/**
 * Sends a request.
 *
 * @throws HostRequestError
 */
export async function askHost(base: string, path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(base + path, init).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    const detail = `Cannot reach the host at ${base}.`;
    throw new HostRequestError({ detail, code: 'connection/lost' }, 0, { cause });
  });
  if (response.ok) return response;
  throw new HostRequestError(await problemIn(response), response.status);
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Creates a client of a host.
 *
 * @param url the address of the protocol, with or without a trailing slash
 */
export function hostClient(url: string, { headers = {} }: HostClientOptions = {}): HostProtocol {
  const base = url.replace(/\/+$/, '');

  const ask = (path: string, init: RequestInit) =>
    askHost(base, path, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    });

  const get = async (path: string, query: Query = {}, signal?: AbortSignal) =>
    (await ask(path + queryText(query), signal ? { signal } : {})).json();

  const post = async (path: string, body: object = {}) =>
    (
      await ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json();

  const at = (id: string) => `/instances/${encodeURIComponent(id)}`;

  return {
    list: (filter = {}, signal) => get('/instances', { ...filter }, signal),
    get: (id) => get(at(id)),
    transcript: async (id, range = {}) => (await get(`${at(id)}/transcript`, { ...range })).lines,
    journal: async (id, range = {}) => (await get(`${at(id)}/journal`, { ...range })).lines,
    start: (request) => post('/instances', request),
    send: (id, event) => post(`${at(id)}/send`, { event }),
    pause: (id) => post(`${at(id)}/pause`),
    resume: (id) => post(`${at(id)}/resume`),
    cancel: (id, reason) => post(`${at(id)}/cancel`, reason === undefined ? {} : { reason }),
    intervene: (id, text) => post(`${at(id)}/intervene`, { text }),
    receive: (message) => post('/messages', message),
    events: async ({ instance }, signal) =>
      eventsIn(await ask(`/events${queryText({ instance })}`, { signal })),
  };
}

/**
 * The events of a stream, until the host ends it.
 *
 * @param onCursor takes each cursor, after which another stream continues: one before the first event, and that of each event
 */
export async function* eventsIn(
  { body }: Response,
  onCursor?: (cursor: string) => void,
): AsyncGenerator<HostEvent, void> {
  if (!body) return;
  const messages = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await messages.read();
      if (done || value.event === 'end') return;
      if (value.id !== undefined) onCursor?.(value.id);
      if (value.event === 'begin') continue;
      const data = JSON.parse(value.data) as HostEvent | Problem;
      if (value.event === 'problem') throw new HostRequestError(data as Problem, 0);
      yield data as HostEvent;
    }
  } finally {
    // The reader may stop early. A failed stream reports its own error.
    await messages.cancel().catch(() => {});
  }
}

export function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

async function problemIn(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<Problem>;
    if (typeof body.detail === 'string' && typeof body.code === 'string') return body as Problem;
  } catch {
    // The answer is from a proxy and not from the host.
  }
  return { detail: `The host answered ${response.status}.`, code: 'connection/answer' };
}

/**
 * The protocol of `useHost`: HTTP with JSON, as a service implements it. A GET has its input in the query, a POST in its body;
 * errors are problems (RFC 9457).
 *
 *     GET  /instances                    { state?, contact?, definition?, ended?, limit?, after? } → { items, next? }
 *     GET  /instances/:id                → InstanceView
 *     GET  /instances/:id/transcript     { from?, limit? } → { lines: TranscriptLine[] }
 *     GET  /instances/:id/journal        { from?, limit? } → { lines: Json[] }
 *     POST /instances                    StartRequest → { id, state }
 *     POST /instances/:id/send           { event } → { accepted, state }
 *     POST /instances/:id/pause, /resume, /cancel { reason? }, /intervene { text } → { accepted, state }
 *     POST /messages                     { contact, text, id? } → { instance, ... }
 *     GET  /events                       { instance? } → server-sent events, each a HostEvent, for as long as they are read
 */
export interface HostProtocol {
  readonly list: (filter?: InstanceQuery, signal?: AbortSignal) => Promise<InstancePage>;
  readonly get: (id: string) => Promise<InstanceView>;
  readonly transcript: (id: string, range?: LineRange) => Promise<readonly TranscriptLine[]>;
  readonly journal: (id: string, range?: LineRange) => Promise<readonly Json[]>;
  readonly start: (
    request: StartRequest,
  ) => Promise<{ readonly id: string; readonly state: string }>;
  readonly send: (id: string, event: EventObject) => Promise<Accepted>;
  readonly pause: (id: string) => Promise<Accepted>;
  readonly resume: (id: string) => Promise<Accepted>;
  readonly cancel: (id: string, reason?: string) => Promise<Accepted>;
  readonly intervene: (id: string, text: string) => Promise<Accepted>;
  readonly receive: (message: MessageRequest) => Promise<Routed>;
  /**
   * Yields each event once it is stored, from the moment the promise fulfils. Ends when the host stops, and throws when
   * the connection is lost.
   */
  readonly events: (
    filter: { readonly instance?: string },
    signal: AbortSignal,
  ) => Promise<AsyncIterable<HostEvent>>;
}

export type Accepted = Extract<Answer, { readonly accepted: true }>;

export interface InstanceQuery {
  readonly contact?: string;
  readonly state?: string;
  readonly definition?: string;
  readonly ended?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

export interface InstancePage {
  readonly items: readonly InstanceSummary[];
  readonly next?: string;
}

export interface LineRange {
  readonly from?: number;
  readonly limit?: number;
}

export interface StartRequest {
  /** The name of a definition in the host. */
  readonly definition: string;
  readonly id?: string;
  readonly contact?: string;
  readonly channel?: string;
  readonly input?: Json;
  readonly lifecycleInput?: JsonObject;
}

export interface MessageRequest {
  readonly contact: string;
  readonly text: string;
  readonly id?: string;
}

/** The body of an error response. Spec: docs/service.md#errors */
interface Problem {
  /** A sentence for people. */
  readonly detail: string;
  readonly code: string;
  /** The next step for the user. */
  readonly hint?: string;
  /** The problems in the request, with JSON Pointers. */
  readonly errors?: readonly { readonly path: string; readonly detail: string }[];
  /** Details from an instance that has refused an event. */
  readonly refused?: {
    readonly state: string;
    readonly accepts: readonly string[];
    readonly retryAfterMs?: number;
  };
}
