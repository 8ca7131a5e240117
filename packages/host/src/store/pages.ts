import { nextTurn } from '@dramaturg/compiler/machine';
import { checkedPage, type ListPosition } from './check.ts';
import type { LineRange, Page, PageRequest } from './contract.ts';
import type { Scheduler } from './disk/system.ts';

/** Reads all pages of a list, one after another. Other work gets its turn between them. */
export async function* readPages<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let after: string | undefined; ;) {
    const { items, next } = await read({ limit: 500, ...(after === undefined ? {} : { after }) });
    yield items;
    if (next === undefined) return;
    after = next;
    await nextTurn();
  }
}

/** How many items are read together, which takes a few milliseconds. */
const itemsPerPart = 1_000;

/** Reads a page that may be long. Other work gets its turn after each part. */
export async function readInParts<Item>(
  { after, limit }: { readonly after?: ListPosition; readonly limit: number },
  scheduler: Pick<Scheduler, 'yield'>,
  read: (after: ListPosition | undefined, limit: number) => Page<Item> | Promise<Page<Item>>,
): Promise<Page<Item>> {
  const first = await read(after, Math.min(limit, itemsPerPart));
  const items = [...first.items];
  let { next } = first;
  while (next !== undefined && items.length < limit) {
    await scheduler.yield();
    const part = checkedPage({ after: next, limit: Math.min(limit - items.length, itemsPerPart) });
    const page = await read(part.after, part.limit);
    items.push(...page.items);
    next = page.next;
  }
  return { items, ...(next === undefined ? {} : { next }) };
}

/** The number of lines that are read and parsed together. A line may contain a message of the maximum length. */
const linesPerPage = 100;

/**
 * Reads a journal or transcript in pages, so that neither the time nor the memory of one read grows with its length.
 *
 * @param range the lines to read; all by default
 */
export async function* readLines<Line>(
  read: (range: LineRange) => Promise<readonly Line[]>,
  { from = 0, limit = Infinity }: Partial<LineRange> = {},
): AsyncGenerator<readonly Line[]> {
  for (let count = 0; count < limit; await nextTurn()) {
    const wanted = Math.min(linesPerPage, limit - count);
    const lines = await read({ from: from + count, limit: wanted });
    if (lines.length > 0) yield lines;
    count += lines.length;
    if (lines.length < wanted || count === limit) return;
  }
}
