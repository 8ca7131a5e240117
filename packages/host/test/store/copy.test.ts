import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inAll, scaled } from '../../../../.config/scaled.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store, StoreLocation } from '../../src/store/contract.ts';
import { createHost, eraseFrom, readStore } from '../../src/host/create-host.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { overriding } from '../../src/store/overriding.ts';
import { copyStore } from '../../src/store/copy/copy-store.ts';
import { fillAtRandom, everythingIn, aLetter, aRecord } from '@dramaturg/testing';
import { temporaryFolder } from './temporary-folder.ts';

async function filled(place: StoreLocation): Promise<StoreLocation> {
  const store = await place.open('the source');
  for (let index = 0; index < 40; index += 1) {
    const id = `r${index}`;
    const journal = Array.from({ length: index * 17 }, (_, line) => ({ line }));
    const record = { id, createdAt: index % 7, journal, outbox: [aLetter('e1'), aLetter('e2')] };
    const parts = [{ key: 'p', value: { index } }];
    await store.create(aRecord({ ...record, parts, questions: index % 3, ended: index % 5 === 0 }));
    const timers = [{ key: 'due', at: index }];
    const change = { id, expectedRevision: 1, updatedAt: 5_000 + index, timers, settled: ['e1'] };
    await store.commit({ ...change, transcript: Array.from({ length: 500 }, () => 'é') });
  }
  const bare = { id: 'bare', kind: 'k', status: 's', snapshot: null };
  await store.create({ ...bare, createdAt: 2.5 });
  await store.close();
  return place;
}

async function contentOf(place: StoreLocation): Promise<unknown> {
  const reader = await place.read();
  try {
    return await everythingIn(reader);
  } finally {
    await reader.close();
  }
}

/** A place whose store refuses all writes after some, as if the process had been killed; and the number of its writes. */
function failingAfter(place: StoreLocation, limit = Infinity) {
  const counted = { writes: 0 };
  const open = async (owner: string): Promise<Store> => {
    const store = await place.open(owner);
    return new Proxy(store, {
      get: (_, name) => {
        const value: unknown = Reflect.get(store, name, store);
        if (typeof value !== 'function') return value;
        if (!['create', 'commit', 'delete'].includes(String(name))) return value.bind(store);
        return (...given: unknown[]) => {
          if (counted.writes === limit) return Promise.reject(new Error('killed'));
          counted.writes += 1;
          return Reflect.apply(value, store, given);
        };
      },
    });
  };
  return Object.assign(counted, { place: { ...place, open } });
}

test('a copy has every record as it was, at the same revision and in the same order', async () => {
  const from = await filled(memoryStore());
  const to = memoryStore();
  const steps: string[] = [];
  const copied = await copyStore(from, to, {
    onProgress: (step, done, all) => steps.push(`${step} ${done}/${all}`),
  });
  const checksum = expect.stringMatching(/^[0-9a-f]{64}$/);
  const counts = { records: 41, lines: 33_260, skipped: [] };
  expect(copied).toEqual({ ...counts, checksum, wasComplete: false });
  for (const step of ['copy', 'compare'])
    expect(steps.filter((each) => each.startsWith(step)).at(-1)).toBe(`${step} 41/41`);
  expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('a store with other records is no target of a copy', async () => {
  const from = await filled(memoryStore());
  const to = await filled(memoryStore());
  const store = await to.open('a change');
  await store.commit({ id: 'r7', expectedRevision: 2, status: 'other' });
  await store.close();
  const before = await contentOf(to);
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'store/exists' });
  expect(await contentOf(to)).toEqual(before);
});

test('a complete copy is compared, and not written again', async () => {
  const from = await filled(memoryStore());
  const to = memoryStore();
  const first = await copyStore(from, to);
  const finish = () => Promise.reject(new Error('It was finished before.'));
  expect(await copyStore(from, failingAfter(to, 0).place, { finish })).toEqual({
    ...first,
    wasComplete: true,
  });
});

describe('a copy that was interrupted', () => {
  const names = { from: 'data/old', to: 'data/new' };

  async function interrupted(): Promise<{ from: StoreLocation; to: StoreLocation }> {
    const from = await filled(memoryStore());
    const to = memoryStore();
    await expect(copyStore(from, failingAfter(to, 60).place, { names })).rejects.toThrow('killed');
    return { from, to };
  }

  test('is opened by no host, and by nothing else that runs on a store', async () => {
    const { to } = await interrupted();
    const refusal = {
      code: 'store/foreign',
      message: expect.stringContaining('dramaturg copy data/old data/new'),
    };
    const nothing = { definitions: [], behaviours: new Map() };
    await expect(createHost({ store: to, ...nothing })).rejects.toMatchObject(refusal);
    await expect(readStore(to)).rejects.toMatchObject(refusal);
    await expect(eraseFrom(to, { contact: 'ada' }, { forget: () => 0 })).rejects.toMatchObject(
      refusal,
    );
    await expect(copyStore(to, memoryStore())).rejects.toMatchObject(refusal);
  });

  test('is not completed with another store', async () => {
    const { from, to } = await interrupted();
    const before = await contentOf(to);
    await expect(
      copyStore(from, to, { names: { from: 'data/other', to: 'data/new' } }),
    ).rejects.toMatchObject({ code: 'store/exists', message: expect.stringContaining('data/old') });
    expect(await contentOf(to)).toEqual(before);
  });

  test('has what the source has when it is completed, also when the source was changed', async () => {
    const { from, to } = await interrupted();
    const store = await from.open('a host');
    await store.commit({ id: 'r0', expectedRevision: 2, status: 'changed', journal: ['new'] });
    await store.commit({ id: 'r35', expectedRevision: 2, updatedAt: 1, snapshot: 'changed' });
    await store.delete('r1');
    await store.create(aRecord({ id: 'r1', status: 'created again' }));
    await store.delete('r2');
    await store.create(aRecord({ id: 'new' }));
    await store.close();
    await copyStore(from, to, { names });
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('copies a record anew that differs from its source', async () => {
    const from = await filled(memoryStore());
    const to = memoryStore();
    const wrong = overriding(to, {
      open: async (owner) => {
        const store = await to.open(owner);
        const create: Store['create'] = (record) =>
          store.create(record.id === 'r7' ? { ...record, status: 'wrong' } : record);
        return overriding(store, { create });
      },
    });
    await expect(copyStore(from, wrong, { names })).rejects.toMatchObject({
      id: 'r7',
      message: expect.stringContaining('Copy again: what differs is copied anew.'),
    });
    await expect(readStore(to)).rejects.toMatchObject({ code: 'store/foreign' });
    const again = failingAfter(to);
    await copyStore(from, again.place, { names });
    expect(await contentOf(to)).toEqual(await contentOf(from));
    // Only that record was written, and the mark of the unfinished copy was removed.
    const writesOfRecord = 2;
    expect(again.writes).toBe(writesOfRecord + 1);
  });

  test('goes on after each of its writes, with those that are missing', async () => {
    const from = memoryStore();
    await fillAtRandom(from, 12, 3);
    const content = await contentOf(from);
    const whole = failingAfter(memoryStore());
    await copyStore(from, whole.place);
    expect(whole.writes).toBeGreaterThan(14);
    for (let limit = 0; limit < whole.writes; limit += 1) {
      const to = memoryStore();
      await expect(copyStore(from, failingAfter(to, limit).place)).rejects.toThrow('killed');
      const rest = failingAfter(to);
      await copyStore(from, rest.place);
      expect(rest.writes).toBe(whole.writes - limit);
      expect(await contentOf(to)).toEqual(content);
    }
  });
});

test.each([1, ...inAll(2, 3)])(
  'random records are the same after the way through all kinds of store (seed %i)',
  async (seed) => {
    const folder = temporaryFolder();
    const from = memoryStore();
    await fillAtRandom(from, Math.max(15, scaled(60)), seed);
    const fsync = 'never';
    const way = [
      lowdbStore(join(folder, 'one'), { fsync, journalSize: 8_192 }),
      sqliteStore(join(folder, 'two.db'), { fsync }),
      sqliteStore(join(folder, 'three.db'), { fsync }),
      lowdbStore(join(folder, 'four'), { fsync }),
      lowdbStore(join(folder, 'five'), { fsync }),
      memoryStore(),
    ];
    const checksums = new Set<string>();
    let last: StoreLocation = from;
    for (const next of way) {
      checksums.add((await copyStore(last, next)).checksum);
      last = next;
    }
    expect(checksums.size).toBe(1);
    expect(await contentOf(last)).toEqual(await contentOf(from));
  },
);

test('a damaged store is copied only without what is damaged, and the copy says so', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'damaged');
  const from = await filled(lowdbStore(path));
  const file = join(path, 'data/records/r7.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"ACTIVE"', '"PASSIVE"'));
  await expect(copyStore(from, memoryStore())).rejects.toMatchObject({ code: 'store/damaged' });
  const to = memoryStore();
  const { records, skipped } = await copyStore(from, to, { skipDamaged: true });
  expect(records).toBe(40);
  expect(skipped).toMatchObject([{ id: 'r7' }]);
});
