import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { nodeFileSystem } from '../../src/store/disk/node-file-system.ts';
import { nodeSystem, type System } from '../../src/store/disk/system.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { inSlices, sliceLength, sortedInSlices } from '../../src/store/slices.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** This machine, and how often a store has let other work have its turn. */
function countedSystem(): { readonly system: System; readonly turns: () => number } {
  const real = nodeSystem();
  let turns = 0;
  const scheduler = {
    ...real.scheduler,
    yield: () => {
      turns += 1;
      return real.scheduler.yield();
    },
  };
  return { system: { ...real, scheduler }, turns: () => turns };
}

async function create(place: ReturnType<typeof lowdbStore>, count: number): Promise<void> {
  const store = await place.open('a test');
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      store.create({
        id: `record-${number}`,
        kind: 'k',
        status: 's',
        // Not in the order of creation.
        createdAt: (number * 7_919) % count,
        timers: [{ key: 't', at: (number * 31) % count }],
        snapshot: null,
      }),
    ),
  );
  await store.close();
}

test('no more items are handled in a turn than a slice has', async () => {
  const handled: number[] = [];
  let inThisTurn = 0;
  let longest = 0;
  const scheduler = {
    yield: async () => {
      inThisTurn = 0;
    },
  };
  const items = Array.from({ length: 3 * sliceLength + 1 }, (_, item) => item);
  await inSlices(items, scheduler, (item) => {
    handled.push(item);
    inThisTurn += 1;
    longest = Math.max(longest, inThisTurn);
  });
  expect(handled).toEqual(items);
  expect(longest).toBe(sliceLength);
});

test.each([0, 1, sliceLength, sliceLength + 1, 5 * sliceLength + 3])(
  'sorting %i items in slices gives the order of a sort at once, and keeps equal items in place',
  async (length) => {
    const items = Array.from({ length }, (_, place) => ({ key: (place * 7_919) % 1_000, place }));
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
    const { system, turns } = countedSystem();
    expect(await sortedInSlices(items, compare, system.scheduler)).toEqual(items.toSorted(compare));
    expect(turns()).toBeGreaterThanOrEqual(Math.floor(length / sliceLength));
  },
);

test('a lowdb store is opened in slices, with each record in its place', async ({ skip }) => {
  skip(!runsAll);
  const path = join(temporaryFolder(), 'store');
  const count = 4 * sliceLength;
  await create(lowdbStore(path, { fsync: 'never' }), count);
  const { system, turns } = countedSystem();
  const store = await lowdbStore(path, { system }).open('a test');
  // Folders are compared, entries are created, sorted and added, timers are sorted and added, and more.
  expect(turns()).toBeGreaterThanOrEqual(20);
  const { items } = await store.list({}, { limit: count });
  expect(items.map(({ createdAt }) => createdAt)).toEqual(
    items.map(({ createdAt }) => createdAt).toSorted((one, other) => one - other),
  );
  expect(items).toHaveLength(count);
  const times = (await store.due(Infinity, count)).map(({ at }) => at);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times).toHaveLength(count);
  await store.close();
});

test('a long page of a sqlite store is read in parts, and contains each record once', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await create(sqliteStore(path, { fsync: 'never' }), 2_500);
  const { system, turns } = countedSystem();
  const store = await sqliteStore(path, { system }).open('a test');
  const before = turns();
  const page = await store.list({}, { limit: 2_400 });
  expect(turns() - before).toBe(2);
  expect(page.items).toHaveLength(2_400);
  const rest = await store.list({}, { after: page.next!, limit: 2_400 });
  expect(rest.next).toBeUndefined();
  const ids = [...page.items, ...rest.items].map(({ id }) => id);
  expect(new Set(ids).size).toBe(2_500);
  await store.close();
});

test('a folder with many names is listed in slices', async () => {
  const files = nodeFileSystem();
  const folder = temporaryFolder();
  const count = 2 * sliceLength + 1;
  for (let number = 0; number < count; number += 1)
    await files.makeFolder(join(folder, String(number)));
  let turns = 0;
  let isListed = false;
  const countTurn = () => {
    turns += 1;
    if (!isListed) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const names = await files.list(folder);
  isListed = true;
  expect(new Set(names).size).toBe(count);
  expect(turns).toBeGreaterThanOrEqual(2);
});
