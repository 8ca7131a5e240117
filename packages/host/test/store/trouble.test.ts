import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import type { StoreError } from '../../src/store/errors.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const aRecord = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1 };

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it`), { code });
}

const kinds = {
  lowdb: {
    storeAt: lowdbStore,
    write: /^journal\.write-rest$/,
    flush: /^journal\.flush$/,
    lock: 'owner.lock',
  },
  sqlite: { storeAt: sqliteStore, write: /^group\.commit$/, flush: /^later\.flush$/, lock: '' },
} as const;

describe.each(['lowdb', 'sqlite'] as const)('%s', (name) => {
  const { storeAt, write, flush, lock } = kinds[name];

  /** Opens a store whose steps at a write point fail while `state.reason` is set. */
  async function failing(point: RegExp, fsync: 'always' | 'batch' = 'always') {
    const path = join(temporaryFolder(), 'store');
    const state: { reason?: Error | undefined; readonly errors: StoreError[] } = { errors: [] };
    const place = storeAt(path, {
      fsync,
      onError: (error) => state.errors.push(error),
      atWritePoint: (reached) => {
        if (state.reason !== undefined && point.test(reached)) throw state.reason;
      },
    });
    const store = await place.open('the test');
    await store.create(aRecord);
    return { path, store, state };
  }

  test.each([
    ['ENOSPC', 'store/full'],
    ['EDQUOT', 'store/full'],
    ['EROFS', 'store/read-only'],
    ['EIO', 'store/failed'],
  ])(
    'a write that fails with %s rejects with %s, stores nothing, and later writes succeed',
    async (system, code) => {
      const { path, store, state } = await failing(write);
      state.reason = failure(system);
      const change = { id: 'a', expectedRevision: 1, snapshot: 2, journal: ['no'] };
      await expect(store.commit(change)).rejects.toMatchObject({
        name: 'StoreError',
        code,
        cause: state.reason,
      });
      const outcomes = await Promise.allSettled([
        store.commit({ id: 'a', expectedRevision: 1, effects: [{ id: 'm', body: 1 }] }),
        store.commit({ id: 'a', expectedRevision: 1, effects: [{ id: 'm', body: 1 }] }),
        store.create({ ...aRecord, id: 'b' }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await store.read('a')).toMatchObject({ revision: 1, snapshot: 1, outbox: [] });
      expect(await store.read('b')).toBeUndefined();
      expect((await store.list({}, { limit: 9 })).items).toHaveLength(1);
      state.reason = undefined;
      await store.commit({ ...change, journal: ['yes'] });
      await store.create({ ...aRecord, id: 'b' });
      await store.close();
      const again = await storeAt(path).open('the test, again');
      expect(await again.read('a')).toMatchObject({ revision: 2, snapshot: 2, outbox: [] });
      expect(await again.journal('a', { from: 0, limit: 9 })).toEqual(['yes']);
      expect(await again.read('b')).toBeDefined();
      await again.close();
    },
  );

  test('after a failed flush, all writes are refused until the store is opened again', async () => {
    const { path, store, state } = await failing(flush, name === 'sqlite' ? 'batch' : 'always');
    state.reason = failure('EIO');
    const commit = store.commit({ id: 'a', expectedRevision: 1, snapshot: 2 });
    // In lowdb the flush of the commit fails, in SQLite the deferred flush within 100 ms.
    const commitFails = commit.then(
      () => undefined,
      (error: StoreError) => error,
    );
    await expect.poll(async () => (await commitFails) ?? state.errors[0]).toBeDefined();
    expect((await commitFails) ?? state.errors[0]).toMatchObject({ code: 'store/failed' });
    state.reason = undefined;
    await expect(store.create({ ...aRecord, id: 'b' })).rejects.toMatchObject({
      code: 'store/failed',
      message: expect.stringContaining('opened again'),
    });
    await store.close();
    const again = await storeAt(path).open('the test, again');
    expect(await again.read('b')).toBeUndefined();
    await again.create({ ...aRecord, id: 'b' });
    await again.close();
  });

  test('H6 a store that has lost its lock writes nothing more and does not remove the new lock', async () => {
    const path = join(temporaryFolder(), 'store');
    const store = await storeAt(path).open('one');
    await store.create(aRecord);
    const lockFile = lock === '' ? `${path}.lock` : join(path, lock);
    const claim = readFileSync(lockFile, 'utf8').replace('"one"', '"the other"');
    writeFileSync(lockFile, claim);
    // The lock is checked every second.
    await expect.poll(() => store.ownership.lost.reason).toMatchObject({ code: 'store/lost' });
    expect(store.ownership.isCertain()).toBe(false);
    await expect(store.ownership.confirm()).rejects.toBe(store.ownership.lost.reason);
    await expect(tryAll(store)).resolves.toEqual(['store/lost', 'store/lost', 'store/lost']);
    await store.close();
    expect(readFileSync(lockFile, 'utf8')).toBe(claim);
  });

  test('a receipt is stored without waiting for a flush', async () => {
    const path = join(temporaryFolder(), 'store');
    const store = await storeAt(path).open('the test');
    await store.create({ ...aRecord, outbox: [{ id: 'e', body: 1 }] });
    expect(await store.acknowledge({ id: 'a', letter: 'e', journal: ['sent'] })).toBeDefined();
    expect(await store.read('a')).toMatchObject({ outbox: [], journalLength: 1 });
    await store.close();
    const again = await storeAt(path).open('the test, again');
    expect(await again.read('a')).toMatchObject({ outbox: [], journalLength: 1 });
    await again.close();
  });
});

test('sqlite: after a failed flush that a write waits for, all writes are refused', async () => {
  let reason: Error | undefined;
  const place = sqliteStore(join(temporaryFolder(), 'store'), {
    atWritePoint: (point) => {
      if (reason !== undefined && point === 'group.flush') throw reason;
    },
  });
  const store = await place.open('the test');
  await store.create({ ...aRecord, outbox: [{ id: 'e', body: 1 }] });
  reason = failure('EIO');
  expect(await store.acknowledge({ id: 'a', letter: 'e' })).toBeDefined();
  const failed = { code: 'store/failed', message: expect.stringContaining('opened again') };
  await expect(store.commit({ id: 'a', expectedRevision: 1 })).rejects.toMatchObject(failed);
  reason = undefined;
  await expect(store.create({ ...aRecord, id: 'b' })).rejects.toMatchObject(failed);
  await store.close();
});

describe('sqlite: the idle checkpoint copies the log into the database', () => {
  test.each([
    ['and writes continue', undefined],
    ['and writes continue when it fails', failure('ENOSPC')],
  ])('%s', async (_, reason) => {
    const errors: StoreError[] = [];
    const points: string[] = [];
    let isOpen = false;
    const path = join(temporaryFolder(), 'store');
    const store = await sqliteStore(path, {
      fsync: 'never',
      onError: (error) => errors.push(error),
      atWritePoint: (point) => {
        points.push(point);
        if (isOpen && point === 'checkpoint' && reason !== undefined) throw reason;
      },
    }).open('the test');
    await store.create(aRecord);
    isOpen = true;
    points.length = 0;
    for (let revision = 1; revision <= 100; revision += 1) {
      await store.commit({ id: 'a', expectedRevision: revision, snapshot: revision });
    }
    expect(points).not.toContain('checkpoint');
    const last = reason === undefined ? 'log.begun' : 'checkpoint';
    await expect.poll(() => points.at(-1)).toBe(last);
    expect(errors.map(({ code }) => code)).toEqual(reason === undefined ? [] : ['store/full']);
    await store.commit({ id: 'a', expectedRevision: 101, snapshot: 'after' });
    await store.close();
    const again = await sqliteStore(path).open('the test, again');
    expect(await again.read('a')).toMatchObject({ revision: 102, snapshot: 'after' });
    await again.close();
  });
});

test('H6 a second owner that opens the store through a link is refused', async () => {
  const folder = temporaryFolder();
  for (const storeAt of [lowdbStore, sqliteStore]) {
    const path = join(folder, storeAt.name);
    const store = await storeAt(path).open('the first');
    symlinkSync(path, `${path}-link`);
    await expect(storeAt(`${path}-link`).open('the second')).rejects.toMatchObject({
      code: 'store/owned',
    });
    await store.close();
  }
});

describe('a location that is not a store is refused and not changed', () => {
  test('a folder with other files', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'novel.txt'), 'It was a dark and stormy night.');
    await expect(lowdbStore(folder).open('the test')).rejects.toMatchObject({
      code: 'store/foreign',
      message: expect.stringContaining('novel.txt'),
    });
    expect(readdirSync(folder)).toEqual(['novel.txt']);
  });

  test('a file where a folder should be, and a folder where a file should be', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'text');
    mkdirSync(join(folder, 'folder'));
    const foreign = { code: 'store/foreign' };
    await expect(lowdbStore(join(folder, 'file')).open('it')).rejects.toMatchObject(foreign);
    await expect(sqliteStore(join(folder, 'folder')).open('it')).rejects.toMatchObject(foreign);
    await expect(sqliteStore(join(folder, 'file')).open('it')).rejects.toMatchObject(foreign);
    expect(readdirSync(folder).toSorted()).toEqual(['file', 'folder']);
  });

  test('a store of a later version', async () => {
    const folder = join(temporaryFolder(), 'store');
    await (await lowdbStore(folder).open('it')).close();
    writeFileSync(join(folder, 'store.json'), '{"store":"dramaturg/lowdb","version":6}');
    const later = { code: 'store/foreign', message: expect.stringContaining('version') };
    await expect(lowdbStore(folder).open('it')).rejects.toMatchObject(later);

    const file = join(temporaryFolder(), 'store.db');
    await (await sqliteStore(file).open('it')).close();
    const database = new Database(file);
    database.pragma('user_version = 6');
    database.close();
    await expect(sqliteStore(file).open('it')).rejects.toMatchObject({
      code: 'store/foreign',
      message: expect.stringContaining('version 6'),
    });
  });

  test('a store.json of something else', async () => {
    const folder = temporaryFolder();
    for (const text of ['', 'null', '[]', '{"store":"other"}', '{']) {
      writeFileSync(join(folder, 'store.json'), text);
      await expect(lowdbStore(folder).open('it')).rejects.toMatchObject({ code: 'store/foreign' });
    }
  });

  test('a database of something else', async () => {
    const file = join(temporaryFolder(), 'other.db');
    const database = new Database(file);
    database.exec('CREATE TABLE novels (title TEXT)');
    database.close();
    await expect(sqliteStore(file).open('it')).rejects.toMatchObject({ code: 'store/foreign' });
  });
});

async function tryAll(store: Store): Promise<unknown[]> {
  const calls = [
    store.create({ ...aRecord, id: 'b' }),
    store.commit({ id: 'a', expectedRevision: 1 }),
    store.acknowledge({ id: 'a', letter: 'm' }),
  ];
  const outcomes = await Promise.allSettled(calls);
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as StoreError).code : 'stored',
  );
}
