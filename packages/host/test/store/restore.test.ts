import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { StoreLocation } from '../../src/store/contract.ts';
import { createHost } from '../../src/host/create-host.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { restore } from '../../src/store/restore.ts';
import { contentOf } from '../../src/testing/store-contract/compaction.ts';
import { aLetter, aRecord } from '../../src/testing/store-contract/stage.ts';
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

const withoutRevision = async (place: StoreLocation) => {
  const reader = await place.read();
  const content = await contentOf(reader);
  await reader.close();
  return content.map(({ record, ...lines }) => ({ ...lines, record: { ...record, revision: 0 } }));
};

test('a restored store has every record, in the same order', async () => {
  const from = await filled(memoryStore());
  const to = memoryStore();
  const steps: string[] = [];
  const restored = await restore(from, to, {
    onProgress: (step, done, all) => steps.push(`${step} ${done}/${all}`),
  });
  expect(restored).toEqual({ records: 41, lines: 33_260, skipped: [] });
  expect(steps.filter((step) => step.startsWith('copy')).at(-1)).toBe('copy 41/41');
  expect(await withoutRevision(to)).toEqual(await withoutRevision(from));
});

test('a store with records is no target of a restore', async () => {
  const from = await filled(memoryStore());
  const to = await filled(memoryStore());
  const before = await withoutRevision(to);
  await expect(restore(from, to)).rejects.toMatchObject({ code: 'store/exists' });
  expect(await withoutRevision(to)).toEqual(before);
});

test('a store whose restore was interrupted is not opened by a host', async () => {
  const from = await filled(memoryStore());
  const to = memoryStore();
  const breaking: StoreLocation = {
    ...to,
    open: async (owner) => {
      const store = await to.open(owner);
      let writes = 0;
      return new Proxy(store, {
        get: (_, name) => {
          const value: unknown = Reflect.get(store, name, store);
          if (name === 'create') writes += 1;
          if (name === 'create' && writes > 10) return () => Promise.reject(new Error('killed'));
          return typeof value === 'function' ? value.bind(store) : value;
        },
      });
    },
  };
  await expect(restore(from, breaking)).rejects.toThrow('killed');
  await expect(
    createHost({ store: to, definitions: [], behaviours: new Map() }),
  ).rejects.toMatchObject({
    code: 'store/foreign',
    message: expect.stringContaining('interrupted'),
  });
});

test('a store moves from lowdb to sqlite and back without a difference', async () => {
  const folder = temporaryFolder();
  const from = await filled(lowdbStore(join(folder, 'from'), { fsync: 'never' }));
  const between = sqliteStore(join(folder, 'between.db'), { fsync: 'never' });
  const to = lowdbStore(join(folder, 'to'), { fsync: 'never' });
  await restore(from, between);
  await restore(between, to);
  expect(await withoutRevision(to)).toEqual(await withoutRevision(from));
});
