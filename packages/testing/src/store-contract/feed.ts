import { expect } from 'vitest';
import type { FeedEntry, StoreReader } from '@dramaturg/host/store';
import type { Store } from '@dramaturg/host';
import { Chance } from '../random-records.ts';
import { aChange, aLetter, aRecord, type Fact, reopened } from './stage.ts';

const id = 'lunch-with-maria';

/** Reads the whole feed in pages. */
export async function feedOf(
  store: Pick<StoreReader, 'feed'>,
  {
    after = 0,
    limit = 10_000,
    ...filter
  }: { after?: number; limit?: number; contact?: string } = {},
): Promise<readonly FeedEntry[]> {
  const all: FeedEntry[] = [];
  for (let from = after; ;) {
    const { entries } = await store.feed({ after: from, limit, ...filter });
    all.push(...entries);
    if (entries.length < limit) return all;
    from = entries.at(-1)!.position;
  }
}

/** The lines that a feed refers to, as `id: line`. */
async function linesOf(store: StoreReader, entries: readonly FeedEntry[]): Promise<string[]> {
  const all: string[] = [];
  for (const { id: record, from, lines } of entries)
    for (const line of await store.journal(record, { from, limit: lines }))
      all.push(`${record}: ${JSON.stringify(line).replaceAll('"', '')}`);
  return all;
}

/**
 * The number of journal lines in the feed of each record, by its id.
 *
 * @throws when lines are missing, doubled or out of order
 */
export async function linesInFeed(store: Pick<StoreReader, 'feed'>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let last = 0;
  for (const { id: record, position, from, lines } of await feedOf(store, { limit: 100 })) {
    expect({ record, from }).toEqual({ record, from: counts.get(record) ?? 0 });
    expect(position).toBeGreaterThan(last);
    last = position;
    counts.set(record, from + lines);
  }
  return counts;
}

async function lastOf(store: Store): Promise<number> {
  return (await store.feed({ after: 0, limit: 1 })).last;
}

export function feed(fact: Fact, share: number): void {
  fact(
    'the feed has the writes with journal lines, in the order of their commits',
    async (store) => {
      expect(await store.feed({ after: 0, limit: 10 })).toMatchObject({ last: 0, entries: [] });
      const created = await store.create(
        aRecord({ journal: ['a', 'b'], transcript: ['said'], outbox: [aLetter('m1')] }),
      );
      const other = await store.create(aRecord({ id: 'other', kind: 'note', journal: ['x'] }));
      const silent = await store.commit(aChange({ transcript: ['more'] }));
      const changed = await store.commit(aChange({ expectedRevision: 2, journal: ['c'] }));
      const received = await store.acknowledge({ id, letter: 'm1', journal: ['d', 'e'] });
      expect(silent.position).toBeUndefined();
      const { last, entries } = await store.feed({ after: 0, limit: 10 });
      expect(entries).toEqual([
        { position: created.position, id, kind: 'conversation', from: 0, lines: 2 },
        { position: other.position, id: 'other', kind: 'note', from: 0, lines: 1 },
        { position: changed.position, id, kind: 'conversation', from: 2, lines: 1 },
        { position: received?.position, id, kind: 'conversation', from: 3, lines: 2 },
      ]);
      const positions = entries.map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((one, next) => one - next));
      expect(new Set([0, ...positions]).size).toBe(5);
      expect(last).toBeGreaterThanOrEqual(positions.at(-1)!);
      // Otherwise a reader that knows both writes could not tell whether it has missed one in between.
      for (const [before, next] of [
        [created, other],
        [other, changed],
        [changed, received!],
      ] as const) {
        const previous = next.previousPosition ?? next.position! - 1;
        expect(previous).toBeGreaterThanOrEqual(before.position!);
        expect(previous).toBeLessThan(next.position!);
      }
    },
  );

  fact('the feed is read after a position, of all records or of one contact', async (store) => {
    for (const [index, contact] of ['maria', 'ada', 'maria', undefined, 'ada'].entries()) {
      const { contact: _, ...record } = aRecord({ id: `${index}`, journal: [index] });
      await store.create(contact === undefined ? record : { ...record, contact });
    }
    const all = await feedOf(store);
    expect(all.map((entry) => entry.id)).toEqual(['0', '1', '2', '3', '4']);
    expect(await feedOf(store, { limit: 2 })).toEqual(all);
    const { position } = all[1]!;
    expect(await feedOf(store, { after: position })).toEqual(all.slice(2));
    expect(await feedOf(store, { contact: 'ada' })).toEqual([all[1], all[4]]);
    expect(await feedOf(store, { contact: 'ada', after: position, limit: 1 })).toEqual([all[4]]);
    expect(await feedOf(store, { contact: 'nobody' })).toEqual([]);
    expect(await feedOf(store, { after: await lastOf(store) })).toEqual([]);
  });

  fact('the feed stays the same when the store is opened again', async (store, place) => {
    await store.create(aRecord({ journal: ['a'] }));
    await store.create(aRecord({ id: 'other', journal: ['x'] }));
    await store.commit(aChange({ journal: ['b'] }));
    const before = await store.feed({ after: 0, limit: 10 });
    await store.compact();
    expect(await store.feed({ after: 0, limit: 10 })).toEqual(before);
    const again = await reopened(store, place);
    expect(await again.feed({ after: 0, limit: 10 })).toMatchObject({
      feed: before.feed,
      entries: before.entries,
    });
    const { position } = await again.commit(aChange({ expectedRevision: 2, journal: ['c'] }));
    expect(position).toBeGreaterThan(before.last);
    expect(await linesOf(again, await feedOf(again))).toEqual([
      `${id}: a`,
      'other: x',
      `${id}: b`,
      `${id}: c`,
    ]);
  });

  fact(
    'a deleted record leaves the feed, and its positions are not used again',
    async (store, place) => {
      await store.create(aRecord({ id: 'other', journal: ['x'] }));
      await store.create(aRecord({ journal: ['a'] }));
      const kept = await store.create(aRecord({ id: 'third', journal: ['y'] }));
      const last = await store.commit(aChange({ journal: ['b'] }));
      const check = async (each: Store) => {
        const entries = await feedOf(each);
        expect(await linesOf(each, entries)).toEqual(['other: x', 'third: y']);
        expect(entries[1]!.position).toBe(kept.position);
        expect(await feedOf(each, { contact: aRecord().contact! })).toEqual(entries);
      };
      await store.delete(id);
      await check(store);
      const opened = await reopened(store, place);
      await check(opened);
      await opened.compact();
      await check(opened);
      const again = await reopened(opened, place);
      await check(again);
      const { position } = await again.create(aRecord({ journal: ['of the new one'] }));
      expect(position).toBeGreaterThan(last.position!);
      const news = [`${id}: of the new one`];
      expect(await linesOf(again, await feedOf(again, { after: last.position! }))).toEqual(news);
      expect(await linesOf(again, await feedOf(again))).toEqual(['other: x', 'third: y', ...news]);
    },
  );

  fact('each store has a feed of its own', async (store, place) => {
    const { feed: name } = await store.feed({ after: 0, limit: 1 });
    expect(name).toMatch(/^[\w-]{8,40}$/);
    const again = await reopened(store, place);
    expect((await again.feed({ after: 0, limit: 1 })).feed).toBe(name);
  });

  fact('the feed is asked for by whole numbers', async (store) => {
    for (const request of [
      { after: -1, limit: 1 },
      { after: 0.5, limit: 1 },
      { after: 0, limit: 0 },
      { after: 0, limit: 10_001 },
      { after: 0, limit: 1, contact: '' },
    ])
      await expect(store.feed(request)).rejects.toMatchObject({ code: 'store/bad-request' });
  });

  fact('the feed of any writes has each journal line once, in its order', async (store, place) => {
    const ids = ['a', 'b', 'c'];
    const chance = new Chance(7);
    let [each, count] = [store, 0];
    const revisions = new Map<string, number>();
    /** The lines in the order of the calls, each with its record. */
    let written: string[] = [];
    const expected = new Map<number, string[]>();
    let running: Promise<void>[] = [];
    const wait = async () => {
      await Promise.all(running);
      running = [];
    };
    for (let step = 0; step < 60 * share; step += 1) {
      const record = chance.of(ids);
      const then = chance.of(['go on', 'go on', 'wait', 'delete', 'compact', 'reopen']);
      const journal = Array.from({ length: chance.between(0, 3) }, () => (count += 1));
      const revision = revisions.get(record);
      revisions.set(record, (revision ?? 0) + 1);
      const write =
        revision === undefined
          ? each.create(aRecord({ id: record, journal }))
          : each.commit({ id: record, expectedRevision: revision, journal });
      const texts = journal.map((line) => `${record}: ${line}`);
      written.push(...texts);
      running.push(
        write.then(({ position }) => {
          if (position === undefined) return;
          expected.set(position, [...(expected.get(position) ?? []), ...texts]);
        }),
      );
      if (then === 'go on') continue;
      await wait();
      if (then === 'delete') {
        await each.delete(record);
        revisions.delete(record);
        written = written.filter((text) => !text.startsWith(record));
      }
      if (then === 'compact') await each.compact();
      if (then === 'reopen') each = await reopened(each, place);
      const found = await linesOf(each, await feedOf(each, { limit: 3 }));
      expect(found.toSorted()).toEqual(written.toSorted());
      for (const name of ids) {
        const isOf = (text: string) => text.startsWith(name);
        expect(found.filter(isOf)).toEqual(written.filter(isOf));
      }
      const answers = [...expected.keys()].toSorted((one, next) => one - next);
      const inOrder = answers.flatMap((position) => expected.get(position)!);
      expect(found).toEqual(inOrder.filter((text) => written.includes(text)));
    }
  });
}
