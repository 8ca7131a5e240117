import { badRequest } from '../errors.ts';
import type {
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  StoreReader,
} from '../store/contract.ts';

/**
 * Lists items that records contain, several each, so that a page may begin within a record.
 *
 * @param read adds the items of a record from a place on, while `items` has fewer than the limit. Returns the place at which the
 *   next page begins; undefined when it has read the whole record.
 */
export async function listWithin<Item>(
  store: StoreReader,
  filter: RecordFilter,
  { after }: PageRequest,
  read: (record: RecordSummary, first: number, items: Item[]) => Promise<number | undefined>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let start = startOf(after);
  for (;;) {
    const before = start.after === undefined ? {} : { after: start.after };
    const page = await store.list(filter, { limit: 1, ...before });
    const [record] = page.items;
    if (!record) return { items };
    const next = await read(record, start.first, items);
    if (next !== undefined) return { items, next: JSON.stringify([start.after ?? null, next]) };
    if (page.next === undefined) return { items };
    start = { after: page.next, first: 0 };
  }
}

/** The start of a page: after a record of the list, and at a place in the next record. */
function startOf(after: string | undefined): { readonly after?: string; readonly first: number } {
  if (after === undefined) return { first: 0 };
  try {
    const [record, first] = JSON.parse(after) as [unknown, unknown];
    const isCursor = record === null || typeof record === 'string';
    if (isCursor && Number.isSafeInteger(first) && Number(first) >= 0)
      return { ...(record === null ? {} : { after: record }), first: Number(first) };
  } catch {
    // Reported below.
  }
  throw badRequest(`${JSON.stringify(after.slice(0, 100))} is not where a page begins.`);
}
