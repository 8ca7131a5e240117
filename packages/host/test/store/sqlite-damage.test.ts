import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Creates a store with the records 'good' and 'bad', and runs SQL that damages 'bad'. */
async function damagedStore(damageSql: string): Promise<string> {
  const file = join(temporaryFolder(), 'store.db');
  const store = await sqliteStore(file).open('the test');
  for (const id of ['bad', 'good']) {
    await store.create({
      id,
      kind: 'k',
      createdAt: 1,
      status: 's',
      snapshot: 'text',
      timers: [{ key: 't', at: 5 }],
      parts: [
        { key: 'p', value: 'part' },
        { key: 'q', value: 'another' },
      ],
      outbox: [{ id: 'm', body: 'letter' }],
      journal: ['one', 'two'],
    });
  }
  await store.close();
  const database = new Database(file);
  database.exec(damageSql);
  database.close();
  return file;
}

const ofBad = "(SELECT number FROM records WHERE id = 'bad')";

describe('a damaged record is set aside, and the others are served', () => {
  test.each([
    ['a changed snapshot', `UPDATE snapshots SET text = '"texu"' WHERE record = ${ofBad}`],
    ['no snapshot', `DELETE FROM snapshots WHERE record = ${ofBad}`],
    [
      'a snapshot that is not JSON',
      `UPDATE snapshots SET text = '{', sum = NULL WHERE record = ${ofBad}`,
    ],
    ['a changed letter', `UPDATE letters SET body = '1' WHERE record = ${ofBad}`],
    ['a letter with another id', `UPDATE letters SET id = 'n' WHERE record = ${ofBad}`],
    ['a missing letter', `DELETE FROM letters WHERE record = ${ofBad}`],
    ['a changed part', `UPDATE parts SET text = '1' WHERE record = ${ofBad}`],
    ['a part with another key', `UPDATE parts SET key = 'r' WHERE record = ${ofBad} AND key = 'q'`],
    ['a missing part', `DELETE FROM parts WHERE record = ${ofBad} AND key = 'q'`],
    [
      'a part that is not JSON',
      `UPDATE parts SET text = '{', sum = NULL WHERE record = ${ofBad} AND key = 'q'`,
    ],
    ['another status', `UPDATE records SET status = 't' WHERE id = 'bad'`],
    ['another revision', `UPDATE records SET revision = 2 WHERE id = 'bad'`],
    ['another time', `UPDATE records SET due_at = 6 WHERE id = 'bad'`],
    ['timers that are not JSON', `UPDATE records SET timers = '[{', sum = NULL WHERE id = 'bad'`],
  ])('%s', async (_, harm) => {
    const file = await damagedStore(harm);
    const store = await sqliteStore(file).open('the test, again');
    const refused = { code: 'store/damaged', message: expect.stringContaining(file) };
    await expect(store.read('bad')).rejects.toMatchObject(refused);
    await expect(store.read('bad')).rejects.toMatchObject(refused);
    await expect(store.commit({ id: 'bad', expectedRevision: 1 })).rejects.toMatchObject(refused);
    await expect(store.journal('bad', { from: 0, limit: 1 })).rejects.toMatchObject(refused);
    const served = { items: [expect.objectContaining({ id: 'good' })] };
    expect(await store.list({}, { limit: 9 })).toEqual(served);
    expect(await store.due(9, 9)).toEqual([{ id: 'good', key: 't', at: 5 }]);
    expect(await store.pending({ limit: 9 })).toEqual({ items: ['good'] });
    expect(await store.read('good')).toMatchObject({ snapshot: 'text' });
    const damaged = [
      { id: 'bad', reason: expect.any(String), where: expect.stringContaining(file) },
    ];
    expect(await store.damaged()).toEqual(damaged);
    await store.close();
    const third = await sqliteStore(file).open('the test, once more');
    expect(await third.damaged()).toEqual(damaged);
    await third.close();
  });
});

test.each([
  ['a list', async (store: Store) => (await store.list({}, { limit: 9 })).items],
  ['the list of due timers', (store: Store) => store.due(9, 9)],
])('%s omits a record that it finds damaged', async (_, read) => {
  const file = await damagedStore(`UPDATE records SET timers = '[{', sum = NULL WHERE id = 'bad'`);
  const store = await sqliteStore(file).open('the test, again');
  const found = await read(store);
  expect(found.map(({ id }) => id)).toEqual(['good']);
  expect(await store.damaged()).toMatchObject([
    { id: 'bad', reason: 'The list of its timers is not JSON.' },
  ]);
  await store.close();
});

test('missing or changed lines are damage', async () => {
  const harms = [
    'DELETE FROM lines',
    `UPDATE lines SET text = '["one"]', sum = NULL`,
    `UPDATE lines SET text = '"one"', sum = NULL`,
    `UPDATE lines SET text = '["one","tow"]'`,
    'UPDATE lines SET first = 1',
  ];
  for (const harm of harms) {
    const store = await sqliteStore(await damagedStore(harm)).open('the test, again');
    await expect(store.journal('bad', { from: 0, limit: 9 })).rejects.toMatchObject({
      code: 'store/damaged',
    });
    await store.close();
  }
});

test('a record whose checksum and mark a person has cleared is accepted', async () => {
  const file = await damagedStore(`UPDATE snapshots SET text = '"texu"' WHERE record = ${ofBad}`);
  const store = await sqliteStore(file).open('the test, again');
  await expect(store.read('bad')).rejects.toMatchObject({ code: 'store/damaged' });
  await store.close();
  const database = new Database(file);
  database.exec(`UPDATE snapshots SET sum = NULL WHERE record = ${ofBad};
    UPDATE records SET damage = NULL WHERE id = 'bad'`);
  database.close();
  const mended = await sqliteStore(file).open('the test, once more');
  expect(await mended.read('bad')).toMatchObject({ snapshot: 'texu' });
  expect(await mended.due(9, 9)).toHaveLength(2);
  await mended.close();
});

test('a truncated file is reported as damaged', async () => {
  const file = await damagedStore('SELECT 1');
  truncateSync(file, 4_096 * 3);
  const read = async () => {
    const store = await sqliteStore(file).open('the test, again');
    try {
      return await store.read('good');
    } finally {
      await store.close();
    }
  };
  await expect(read()).rejects.toMatchObject({ code: 'store/damaged' });
});
