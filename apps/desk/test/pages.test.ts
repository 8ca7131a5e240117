import { expect, test } from 'vitest';
import type { InboxItem, Page } from '../page/src/service/protocol.ts';
import { InboxPages } from '../page/src/state/use-inbox.ts';

const { signal } = new AbortController();

const row = (id: string): InboxItem => ({
  id,
  definition: { name: 'intake', version: '1' },
  state: 'WAITING_FOR_REPLY',
  ended: false,
  createdAt: 0,
  updatedAt: 0,
  decisionsOpen: 0,
  place: '',
});

/** A queue whose cursor is the id of the last row, and the cursors that were asked for. */
function queueOf(ids: string[]) {
  const asked: (string | undefined)[] = [];
  const load = (after: string | undefined, limit: number): Promise<Page<InboxItem>> => {
    asked.push(after);
    const from = after === undefined ? 0 : ids.indexOf(after) + 1;
    const items = ids.slice(from, from + limit).map(row);
    const next = from + limit < ids.length ? items.at(-1)!.id : undefined;
    return Promise.resolve({ items, next });
  };
  return { pages: new InboxPages(load), asked };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `c-${index}`);
const shown = ({ state }: InboxPages) => state.items.map(({ id }) => id);

test('the next page is loaded when the reader comes near its beginning', async () => {
  const { pages, asked } = queueOf(names(500));
  await pages.loadView(signal);
  expect({ rows: pages.state.items.length, asked }).toEqual({ rows: 200, asked: [undefined] });
  expect(pages.look(10, 40)).toBe(false);
  expect(pages.look(110, 150)).toBe(true);
  await pages.loadView(signal);
  expect({ rows: pages.state.items.length, hasMore: pages.state.hasMore, asked }).toEqual({
    rows: 400,
    hasMore: true,
    asked: [undefined, 'c-199'],
  });
});

test('after a change, only pages in view are loaded again', async () => {
  const { pages, asked } = queueOf(names(1_000));
  for (const last of [50, 250, 450, 650]) {
    pages.look(last - 40, last);
    await pages.loadView(signal);
  }
  asked.length = 0;
  pages.look(420, 460);
  pages.makeStale();
  await pages.loadView(signal);
  expect(asked).toEqual(['c-399']);
});

test('a row that moves to another page is shown once, and one that has gone is not shown', async () => {
  const ids = names(400);
  const { pages } = queueOf(ids);
  pages.look(0, 150);
  await pages.loadView(signal);
  ids.splice(0, 400, ...names(400).filter((id) => id !== 'c-3'), 'c-3');
  pages.look(0, 399);
  pages.makeStale();
  await pages.loadView(signal);
  expect(shown(pages)).toEqual(ids);
});

test('a queue that becomes shorter loses its last pages', async () => {
  const ids = names(450);
  const { pages } = queueOf(ids);
  for (const last of [150, 350, 449]) {
    pages.look(last - 40, last);
    await pages.loadView(signal);
  }
  ids.splice(100);
  pages.look(0, 40);
  pages.makeStale();
  await pages.loadView(signal);
  expect(shown(pages)).toEqual(names(100));
});

test('at most 10,000 rows are kept, and the state says so', async () => {
  const { pages } = queueOf(names(10_500));
  for (let last = 100; last <= 10_500; last += 100) {
    pages.look(last - 40, last);
    await pages.loadView(signal);
  }
  const { items, hasMore, isFull } = pages.state;
  expect({ rows: items.length, hasMore, isFull }).toEqual({
    rows: 10_000,
    hasMore: false,
    isFull: true,
  });
});

test('a change during a request makes its page stale again', async () => {
  let answers = 0;
  const pages = new InboxPages(() => {
    answers += 1;
    if (answers === 1) pages.makeStale();
    return Promise.resolve({ items: [row(`answer-${answers}`)] });
  });
  await pages.loadView(signal);
  expect({ answers, shown: shown(pages) }).toEqual({ answers: 2, shown: ['answer-2'] });
});

test('an error keeps the rows, and the next success removes it', async () => {
  let isDown = false;
  const pages = new InboxPages(() =>
    isDown ? Promise.reject(new Error('down')) : Promise.resolve({ items: [row('c-0')] }),
  );
  await pages.loadView(signal);
  isDown = true;
  pages.makeStale();
  await pages.loadView(signal);
  expect({ shown: shown(pages), error: String(pages.state.error) }).toEqual({
    shown: ['c-0'],
    error: 'Error: down',
  });
  isDown = false;
  await pages.loadView(signal);
  expect(pages.state.error).toBeUndefined();
});
