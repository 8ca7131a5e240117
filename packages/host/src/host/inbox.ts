import { unlessErased } from '../errors.ts';
import type { TranscriptLine } from '../instance/event.ts';
import type { QueueName } from '../instance/attention.ts';
import type { Page, PageRequest, RecordSummary, StoreReader } from '../store/contract.ts';
import { type DeskFields, deskFieldsOf } from './desk.ts';
import type { InstanceFilter } from './instance-filter.ts';
import type { InstanceSummary, InstanceView } from './view.ts';

/** Selects rows of an operators' desk. All given fields have to match. */
export interface InboxFilter extends Pick<InstanceFilter, 'state' | 'definition' | 'owner'> {
  /** All open instances when left out. */
  readonly queue?: QueueName;
  /** A part of the contact or of a recent line: the last 200 lines of the transcript are searched. Case does not matter. */
  readonly text?: string;
}

/** A row of an operators' desk. Times are milliseconds since 1970 UTC. */
export interface InboxItem extends InstanceSummary, DeskFields {
  readonly decisionsOpen: number;
  readonly owner?: InstanceView['owner'];
  /** Why the last turn has failed. */
  readonly failure?: { readonly message: string; readonly code: string | null };
}

export interface InboxParts {
  readonly store: StoreReader;
  readonly list: (filter: InstanceFilter, page: PageRequest) => Promise<Page<RecordSummary>>;
  readonly get: (id: string) => Promise<InstanceView>;
}

/** The largest number of instances that one page examines. A search may give pages with few rows, or none, and a next page. */
const examinedMax = 200;

/** How many instances are read at once. */
const batchSize = 50;

/** How many lines at the end of a transcript are searched. */
const linesSearched = 200;

/** Lists the instances of a queue, the longest waiting first, or all open instances, the oldest first. */
export async function listInbox(
  { store, list, get }: InboxParts,
  { text = '', ...filter }: InboxFilter,
  { after, limit }: PageRequest,
): Promise<Page<InboxItem>> {
  const items: InboxItem[] = [];
  let next = after;
  for (let examined = 0; examined < examinedMax;) {
    const page = await list(
      // A failed run stays in its queue after its end.
      filter.queue === 'failed' ? filter : { ...filter, ended: false },
      {
        limit: Math.min(batchSize, limit - items.length),
        ...(next === undefined ? {} : { after: next }),
      },
    );
    const rows = await Promise.all(page.items.map(rowOf));
    items.push(...rows.filter((row) => row !== undefined));
    if (page.next === undefined) return { items };
    next = page.next;
    if (items.length === limit) break;
    examined += page.items.length;
  }
  return { items, ...(next === undefined ? {} : { next }) };

  async function rowOf(record: RecordSummary): Promise<InboxItem | undefined> {
    // Most instances of a search do not match, so their records are not read.
    if (text !== '' && !(await isFound(record))) return undefined;
    const view = await unlessErased(get(record.id));
    if (!view || (filter.owner !== undefined && view.owner?.by !== filter.owner)) return undefined;
    return { ...itemOf(view), ...(await deskFieldsOf(store, view)) };
  }

  async function isFound({ id, contact = '', transcriptLength }: RecordSummary): Promise<boolean> {
    const wanted = text.toLowerCase();
    // "1234 5678" is a part of "+56912345678".
    const bare = (written: string) => written.replace(/[\s().-]/g, '').toLowerCase();
    if (contact.toLowerCase().includes(wanted)) return true;
    if (/^[\d\s().+-]*\d[\d\s().+-]*$/.test(text) && bare(contact).includes(bare(text)))
      return true;
    const from = Math.max(0, transcriptLength - linesSearched);
    const lines = await unlessErased(store.transcript(id, { from, limit: linesSearched }));
    return ((lines ?? []) as TranscriptLine[]).some(
      (line) => line.role !== 'system' && line.text.toLowerCase().includes(wanted),
    );
  }
}

function itemOf(view: InstanceView): InboxItem {
  const { id, definition, contact, state, ended, createdAt, updatedAt, dueAt, parent } = view;
  const { queue, waitingSince, decisionsOpen = 0, owner, failure } = view;
  return {
    id,
    definition,
    ...(contact === undefined ? {} : { contact }),
    state,
    ended,
    place: state,
    createdAt,
    updatedAt,
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(parent === undefined ? {} : { parent }),
    ...(queue === undefined ? {} : { queue }),
    ...(waitingSince === undefined ? {} : { waitingSince }),
    decisionsOpen,
    ...(owner === undefined ? {} : { owner }),
    ...(failure && {
      failure: { message: failure.cause ?? failure.error ?? '', code: failure.error },
    }),
  };
}
