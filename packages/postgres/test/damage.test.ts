import type { Store } from '@dramaturg/host';
import { sharedPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

/** What damages the record "b", by the beginning of the reason that it gets. */
const damages: readonly (readonly [reason: string, sql: string])[] = [
  ['The row of the table "records" differs', `UPDATE records SET status = 'DONE' WHERE id = 'b'`],
  ['The snapshot differs', `UPDATE snapshots SET text = '{"x":1}' WHERE record = 2`],
  ['Its snapshot is missing.', 'DELETE FROM snapshots WHERE record = 2'],
  ['The part "p" differs', `UPDATE parts SET text = '"changed"' WHERE record = 2`],
  ['It has 0 parts of 1.', 'DELETE FROM parts WHERE record = 2'],
  ['The letter "m" differs', `UPDATE letters SET text = '1' WHERE record = 2`],
  ['It has 0 letters of 1.', 'DELETE FROM letters WHERE record = 2'],
  // The rows of another record.
  [
    'The snapshot differs',
    'UPDATE snapshots s SET text = o.text, sum = o.sum FROM snapshots o WHERE s.record = 2 AND o.record = 1',
  ],
  [
    'The row of its journal from line 0 differs',
    `UPDATE lines SET text = '["changed"]' WHERE record = 2 AND first = 0 AND kind = 'journal'`,
  ],
  [
    'Lines of its journal are missing.',
    `DELETE FROM lines WHERE record = 2 AND first = 1 AND kind = 'journal'`,
  ],
  [
    'Lines of its journal are missing.',
    `DELETE FROM lines WHERE record = 2 AND first = 0 AND kind = 'journal'`,
  ],
];

describeWithPostgres('a damaged store in Postgres', () => {
  for (const [reason, sql] of damages)
    test(`is noticed: ${sql}`, async () => {
      const { open, query } = await filled();
      await query(`SET search_path = dramaturg; ${sql}`);
      const store = await open();
      const found = expect.stringContaining(reason);
      expect(await store.verify()).toMatchObject({
        records: 2,
        damaged: [{ id: 'b', reason: found, where: expect.stringContaining('"records"') }],
      });
      const damaged = { code: 'store/damaged', message: found };
      await expect(readAll(store, 'b')).rejects.toMatchObject(damaged);
      expect(await store.damaged()).toMatchObject([{ id: 'b', reason: found }]);
      await expect(store.commit({ id: 'b', expectedRevision: 2 })).rejects.toMatchObject(damaged);
      await readAll(store, 'a');
      await store.commit({ id: 'c', expectedRevision: 2 });
      expect((await store.list({}, { limit: 9 })).items.map(({ id }) => id)).toEqual(['a', 'c']);
      await store.close();
      expect(await (await open()).damaged()).toMatchObject([{ id: 'b', reason: found }]);
    });

  test('is written to only where it is sound', async () => {
    const { open, query } = await filled();
    await query(`UPDATE dramaturg.records SET journal_length = 7 WHERE id = 'b'`);
    const store = await open();
    // Nobody has read the record yet.
    await expect(store.commit({ id: 'b', expectedRevision: 2 })).rejects.toMatchObject({
      code: 'store/damaged',
    });
    expect(await query('SELECT id FROM dramaturg.records WHERE damage IS NOT NULL')).toEqual([
      { id: 'b' },
    ]);
  });

  test('has rows of no record', async () => {
    const { open, query } = await filled();
    await query(`INSERT INTO dramaturg.lines VALUES (77, 'journal', 0, 0, '[]')`);
    expect((await (await open()).verify()).damaged).toMatchObject([
      { reason: 'The table "lines" has rows of the record number 77, which does not exist.' },
    ]);
  });

  test('is repaired by a person, and a damaged record can be deleted', async () => {
    const { open, query } = await filled();
    await query(`UPDATE dramaturg.snapshots SET text = '"by hand"', sum = NULL WHERE record = 2`);
    await query(`UPDATE dramaturg.records SET revision = 9 WHERE id = 'c'`);
    const store = await open();
    expect(await store.read('b')).toMatchObject({ snapshot: 'by hand' });
    await expect(store.read('c')).rejects.toMatchObject({ code: 'store/damaged' });
    expect(await store.delete('c')).toBe(true);
    expect(await store.damaged()).toEqual([]);
    await store.create(aRecord({ id: 'c' }));
    expect((await store.verify()).damaged).toEqual([]);
  });
});

async function readAll(store: Store, id: string): Promise<void> {
  await store.read(id);
  await store.journal(id, { from: 0, limit: 10 });
}

/** A closed store with the records a, b and c, which have the numbers 1, 2 and 3. */
async function filled() {
  const { url } = (await sharedPostgres()).createDatabase();
  const open = async () => {
    const store = await postgresStore(url).open('the test');
    onTestFinished(() => store.close());
    return store;
  };
  const store = await open();
  for (const id of ['a', 'b', 'c']) {
    const parts = [{ key: 'p', value: `part of ${id}` }];
    await store.create(
      aRecord({ id, snapshot: id, parts, outbox: [{ id: 'm', body: id }], journal: ['first'] }),
    );
    await store.commit({ id, expectedRevision: 1, journal: ['second'] });
  }
  await store.close();
  return { open, query: queryOf(url) };
}
