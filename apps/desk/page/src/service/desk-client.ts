import type { Decision } from '@dramaturg/compiler';
import type { OpenDecision } from '@dramaturg/host';
import type { Connection } from './connection.ts';
import type {
  Act,
  Charts,
  Claim,
  Conversation,
  InboxFilter,
  InboxItem,
  JournalLine,
  Line,
  Me,
  Page,
  QueueCounts,
} from './protocol.ts';

/** An open decision with its place, as the service lists it. */
export type DecisionItem = OpenDecision & {
  /** Its id in requests. */
  readonly decision: string;
  readonly instance: string;
  readonly definition: { readonly name: string };
  readonly contact?: string | undefined;
};

/** Which of the operators' acts are listed. */
export interface ActFilter {
  readonly instance?: string | undefined;
  readonly by?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Lines of a journal that are read. */
const journalMax = 2_000;

/** One function for each request that the page sends. All throw a `ServiceError`. */
export class DeskClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  readonly me = (signal?: AbortSignal) => this.#connection.get<Me>('/me', {}, signal);

  readonly queues = (signal?: AbortSignal) =>
    this.#connection.get<QueueCounts>('/queues', {}, signal);

  readonly inbox = (
    filter: InboxFilter,
    page: { readonly after?: string | undefined; readonly limit: number },
    signal?: AbortSignal,
  ) => this.#connection.get<Page<InboxItem>>('/inbox', { ...filter, ...page }, signal);

  readonly conversation = (id: string, signal?: AbortSignal) =>
    this.#connection.get<Conversation>(at(id), {}, signal);

  /** The lines from one on. */
  readonly lines = async (id: string, from: number, signal?: AbortSignal) => {
    const path = `${at(id)}/transcript`;
    const query = { from, limit: 1_000 };
    return (await this.#connection.get<{ lines: readonly Line[] }>(path, query, signal)).lines;
  };

  /** The last lines of the journal. */
  readonly lastJournal = async (id: string, signal?: AbortSignal) => {
    const { journalLength } = await this.conversation(id, signal);
    const query = { from: Math.max(0, journalLength - journalMax), limit: journalMax };
    const path = `${at(id)}/journal`;
    return (await this.#connection.get<{ lines: readonly JournalLine[] }>(path, query, signal))
      .lines;
  };

  readonly charts = (id: string, signal?: AbortSignal) =>
    this.#connection.get<Charts>(`${at(id)}/charts`, {}, signal);

  readonly decisions = (
    query: { readonly instance?: string; readonly limit: number },
    signal?: AbortSignal,
  ) => this.#connection.get<Page<DecisionItem>>('/decisions', query, signal);

  readonly decision = (decision: string, signal?: AbortSignal) =>
    this.#connection.get<DecisionItem>(`/decisions/${encodeURIComponent(decision)}`, {}, signal);

  /** With a token, the service knows who decides, and refuses a name in the request. */
  readonly decide = (decision: string, { by, roles, ...given }: Decision) =>
    this.#connection.post<object>(`/decisions/${encodeURIComponent(decision)}`, {
      ...given,
      ...(!this.#connection.hasToken && { by, roles }),
    });

  readonly takeOver = (id: string) => this.#connection.post<Claim>(`${at(id)}/take-over`);
  readonly handBack = (id: string) => this.#connection.post<object>(`${at(id)}/hand-back`);
  readonly renewClaim = (id: string) => this.#connection.post<Claim>(`${at(id)}/claim`);
  readonly retry = (id: string) => this.#connection.post<object>(`${at(id)}/retry`);
  readonly draft = (id: string) => this.#connection.post<{ text: string }>(`${at(id)}/draft`);

  readonly write = (id: string, text: string) =>
    this.#connection.post<object>(`${at(id)}/intervene`, { text });

  readonly note = (id: string, text: string) =>
    this.#connection.post<object>(`${at(id)}/notes`, { text });

  readonly acts = (filter: ActFilter, signal?: AbortSignal) =>
    this.#connection.get<Page<Act>>('/acts', { ...filter }, signal);

  /** All acts as a file. */
  readonly exportActs = async (format: 'csv' | 'json', { instance, by }: ActFilter) => {
    const query = new URLSearchParams({
      format,
      ...(instance !== undefined && { instance }),
      ...(by !== undefined && { by }),
    });
    return (await this.#connection.send(`/acts?${query}`)).blob();
  };
}

function at(id: string): string {
  return `/instances/${encodeURIComponent(id)}`;
}
