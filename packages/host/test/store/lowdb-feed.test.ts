import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { feedOf } from '@dramaturg/testing';
import { temporaryFolder } from './temporary-folder.ts';

const ids = ['a', 'b', 'c', 'd', 'e'];

/** Writes to some records in turn, and returns the order of the writes. */
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

test('the feed goes on from the files of records into the journal without a gap', async () => {
  const folder = join(temporaryFolder(), 'store');
  const place = lowdbStore(folder, { journalSize: 1, fsync: 'never' });
  const store = await place.open('the test');
  const order = await filled(store, 300);
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
  const { revision } = (await again.read('a'))!;
  const write = { id: 'a', expectedRevision: revision, journal: ['new'] };
  const { position } = await again.commit(write);
  expect(await feedOf(again, { after: all.at(-1)!.position })).toMatchObject([
    { id: 'a', position, lines: 1 },
  ]);
  await again.delete('b');
  await again.compact();
  const left = all.filter(({ id }) => id !== 'b');
  expect((await feedOf(again)).slice(0, -1)).toEqual(left);
  await again.close();
});
