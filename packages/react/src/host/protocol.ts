import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type {
  Answer,
  HostEvent,
  InstanceSummary,
  InstanceView,
  Routed,
  TranscriptLine,
} from '@dramaturg/host';

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
export interface Problem {
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
