import type { Decision } from '@dramaturg/compiler/machine';
import type { OpenDecision } from '@dramaturg/host';
import { type Connection, queryText } from './connection.ts';
import type {
  Act,
  Charts,
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

/** Which of the operators' acts are listed. Times are milliseconds since 1970 UTC. */
export interface ActFilter {
  readonly from?: number | undefined;
  readonly by?: string | undefined;
  readonly contact?: string | undefined;
}

/** Acts in a page of the service, and acts that are read at most. */
const [actsInPage, actsMax] = [1_000, 5_000];

interface Journal {
  readonly lines: readonly {
    readonly at: number;
    readonly source: string;
    readonly event: { readonly type: string };
  }[];
}

/** Lines of a journal that are read. */
const journalMax = 2_000;

/** One function for each request that the page sends. All throw a `ServiceError`. */
export class DeskClient {
  readonly #connection: Connection;
  readonly #author: { readonly by?: string };

  /** @param author the operator, where the service asks for no token: with one, it knows, and refuses a name in a request */
  constructor(connection: Connection, author?: string) {
    this.#connection = connection;
    this.#author = author === undefined || connection.hasToken ? {} : { by: author };
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
    const { lines } = await this.#connection.get<Journal>(path, query, signal);
    return lines.map(({ event, ...line }): JournalLine => ({ ...event, ...line }));
  };

  readonly charts = (id: string, signal?: AbortSignal) =>
    this.#connection.get<Charts>(`${at(id)}/charts`, {}, signal);

  readonly decisions = (
    query: { readonly instance?: string; readonly limit: number },
    signal?: AbortSignal,
  ) => this.#connection.get<Page<DecisionItem>>('/decisions', query, signal);

  readonly decision = (decision: string, signal?: AbortSignal) =>
    this.#connection.get<DecisionItem>(`/decisions/${encodeURIComponent(decision)}`, {}, signal);

  readonly decide = (decision: string, { by, roles, ...given }: Decision) =>
    this.#act(`/decisions/${encodeURIComponent(decision)}`, {
      ...given,
      ...(!this.#connection.hasToken && { by, roles }),
    });

  readonly takeOver = (id: string) => this.#act(`${at(id)}/take-over`);
  readonly handBack = (id: string) => this.#act(`${at(id)}/hand-back`);
  readonly renewClaim = (id: string) => this.#act(`${at(id)}/claim`);
  /** A conversation that goes on repeats its failed call first. Spec: docs/host.md#turns-that-fail */
  readonly retry = (id: string) => this.#act(`${at(id)}/resume`);
  /** @param upTo the last line that the operator has seen: the agent does not answer the lines up to it */
  readonly write = (id: string, text: string, upTo: string | undefined) =>
    this.#act(`${at(id)}/intervene`, { text, upTo });
  readonly note = (id: string, text: string) => this.#act(`${at(id)}/notes`, { text });
  readonly draft = (id: string) => this.#act<{ readonly text: string }>(`${at(id)}/draft`);

  /** What operators did, the last act first. At most about `actsMax`. */
  readonly acts = async (filter: ActFilter, signal?: AbortSignal) => {
    const acts = await this.#actsUpTo(actsMax, filter, signal);
    return acts.toSorted((one, other) => other.at - one.at);
  };

  /** All acts as a file. */
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
      const query = { ...filter, limit: actsInPage, after };
      const page: Page<Act> = await this.#connection.get('/acts', query, signal);
      acts.push(...page.items);
      after = page.next;
    } while (after !== undefined && acts.length < max);
    return acts;
  }

  #act<Answer = object>(path: string, body: object = {}): Promise<Answer> {
    return this.#connection.post<Answer>(path, { ...this.#author, ...body });
  }
}

function at(id: string): string {
  return `/instances/${encodeURIComponent(id)}`;
}
