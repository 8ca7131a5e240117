import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { planRepair } from '../../src/store/repair.ts';
import { feedOf, linesInFeed } from '@dramaturg/testing';
import { temporaryFolder } from './temporary-folder.ts';

const ids = ['a', 'b', 'c', 'd', 'e'];

/** Writes so much that most of the log is removed, and returns the order of the writes. */
async function filled(store: Store, rounds: number): Promise<string[]> {
  const order: string[] = [];
  for (const id of ids) {
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 0, journal: [0] });
    order.push(id);
  }
  for (let round = 1; round <= rounds; round += 1) {
    const id = ids[(round * round) % ids.length]!;
    const { revision } = (await store.read(id))!;
    await store.commit({ id, expectedRevision: revision, journal: [round, 'x'.repeat(40)] });
    order.push(id);
  }
  return order;
}

function feedFilesIn(folder: string): string[] {
  const data = join(folder, 'data');
  const names = readdirSync(data).filter((name) => name.startsWith('feed-'));
  return names.map((name) => join(data, name));
}

test('the feed goes from its files into the journal without a gap', async () => {
  const folder = join(temporaryFolder(), 'store');
  const place = lowdbStore(folder, { journalSize: 3_000, fsync: 'never' });
  const store = await place.open('the test');
  const order = await filled(store, 300);
  // Waits for what is being folded.
  await store.verify();
  const texts = feedFilesIn(folder).map((file) => readFileSync(file, 'utf8'));
  const lines = texts.join('').match(/^ {4}"/gm)!.length;
  // Fewer lines than writes: the rest is in the journal.
  expect(lines).toBeGreaterThan(200);
  expect(lines).toBeLessThan(order.length);
  const all = await feedOf(store);
  expect(all.map(({ id }) => id)).toEqual(order);
  expect(await feedOf(store, { limit: 37 })).toEqual(all);
  for (let index = 0; index < all.length; index += 49) {
    const { position } = all[index]!;
    const request = { after: position, limit: 3 };
    expect((await store.feed(request)).entries).toEqual(all.slice(index + 1, index + 4));
  }
  await store.close();
  const reader = await place.read();
  expect(await feedOf(reader)).toEqual(all);
  await reader.close();
  const again = await place.open('the test, again');
  expect(await feedOf(again)).toEqual(all);
  await again.delete('b');
  await again.compact();
  const left = all.filter(({ id }) => id !== 'b');
  expect(await feedOf(again)).toEqual(left);
  expect(
    feedFilesIn(folder).flatMap((each) => readFileSync(each, 'utf8').match(/ b"/g) ?? []),
  ).toEqual([]);
  await again.close();
});

test('a damaged feed is reported, and a repair makes a new one', async () => {
  const folder = join(temporaryFolder(), 'store');
  const place = lowdbStore(folder, { journalSize: 900, fsync: 'never' });
  const store = await place.open('the test');
  const order = await filled(store, 60);
  const { feed } = await store.feed({ after: 0, limit: 1 });
  const before = await linesInFeed(store);
  await store.close();
  const [file] = feedFilesIn(folder);
  writeFileSync(file!, readFileSync(file!, 'utf8').replace(' a"', ' x"'));
  const damaged = await place.open('the test, again');
  const message = expect.stringMatching(/feed .* is damaged.* feed-.* run "dramaturg repair"/);
  await expect(damaged.feed({ after: 0, limit: 10 })).rejects.toMatchObject({
    code: 'store/damaged',
    message,
  });
  expect((await damaged.verify()).damaged).toHaveLength(1);
  await damaged.close();
  const [step] = await planRepair(place);
  expect(step).toMatchObject({ finding: expect.stringContaining('The feed') });
  await step!.apply();
  expect(await planRepair(place)).toEqual([]);
  const repaired = await place.open('after the repair');
  expect((await repaired.verify()).damaged).toEqual([]);
  expect(await linesInFeed(repaired)).toEqual(before);
  const page = await repaired.feed({ after: 0, limit: 1 });
  expect(page.feed).not.toBe(feed);
  const { revision } = (await repaired.read('a'))!;
  const write = { id: 'a', expectedRevision: revision, journal: ['new'] };
  const { position } = await repaired.commit(write);
  expect((await repaired.feed({ after: page.last, limit: 9 })).entries).toMatchObject([
    { id: 'a', position, lines: 1 },
  ]);
  expect(order.length).toBeGreaterThan(0);
  await repaired.close();
});
