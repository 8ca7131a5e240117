import { type InboxFilter, type Queue, queues } from '../service/protocol.ts';

/** The view that the page shows. It is in the address, so that it can be opened again and sent to a colleague. */
export interface Route {
  readonly view: 'queue' | 'decisions' | 'activity';
  readonly filter: InboxFilter;
  /** The open conversation. */
  readonly conversation?: string | undefined;
  /** The open decision. */
  readonly decision?: string | undefined;
}

const base = '/desk';

/** The names of queues in addresses. */
const slugs: Readonly<Record<Queue, string>> = {
  needsPerson: 'needs-person',
  decisions: 'with-decisions',
  failed: 'failed',
  paused: 'paused',
  setAside: 'set-aside',
  all: 'all',
};

const filterFields = ['q', 'state', 'definition', 'owner'] as const;

/** Reads an address: its path and its query. An unknown address means the first queue. */
export function routeOf(path: string, search: string): Route {
  const [view, id, ...rest] = path.replace(base, '').split('/').filter(Boolean).map(decoded);
  const query = new URLSearchParams(search);
  const isKnown = rest.length === 0;
  const slug = view === 'queues' ? id : query.get('queue');
  const filter = filterIn(query, queueOf(slug) ?? (view === 'conversations' ? 'all' : undefined));
  if (view === 'conversations' && id !== undefined && isKnown)
    return { view: 'queue', filter, conversation: id };
  if (view === 'decisions' && isKnown)
    return { view: 'decisions', filter, ...(id !== undefined && { decision: id }) };
  if (view === 'activity' && id === undefined) return { view: 'activity', filter };
  return { view: 'queue', filter };
}

/** The address of a route. */
export function addressOf({ view, filter, conversation, decision }: Route): string {
  const query = new URLSearchParams();
  for (const field of filterFields) {
    const value = filter[field];
    if (value !== undefined && value !== '') query.set(field, value);
  }
  const queue = slugs[filter.queue];
  if (view === 'queue' && conversation === undefined) return withQuery(`/queues/${queue}`, query);
  if (view === 'queue') {
    query.set('queue', queue);
    return withQuery(`/conversations/${encodeURIComponent(conversation!)}`, query);
  }
  if (view === 'activity') return `${base}/activity`;
  return decision === undefined
    ? `${base}/decisions`
    : `${base}/decisions/${encodeURIComponent(decision)}`;
}

function withQuery(path: string, query: URLSearchParams): string {
  return `${base}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function filterIn(query: URLSearchParams, queue: Queue = 'needsPerson'): InboxFilter {
  const fields = filterFields.flatMap((field) => {
    const value = query.get(field);
    return value === null || value === '' ? [] : [[field, value]];
  });
  return { queue, ...(Object.fromEntries(fields) as Partial<InboxFilter>) };
}

function queueOf(slug: string | null | undefined): Queue | undefined {
  return queues.find((queue) => slugs[queue] === slug);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
