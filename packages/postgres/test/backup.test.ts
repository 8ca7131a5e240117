import { sharedPostgres } from '@dramaturg/test-servers';
import { copyStore } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { NumberedWriter } from './numbered.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

describeWithPostgres('a backup of a store in Postgres', () => {
  test('is a store in another schema or database, with the same content', async () => {
    const { store, url } = await filled();
    const other = (await sharedPostgres()).createDatabase().url;
    for (const [target, place] of [
      ['copy 1', postgresStore(url, { schema: 'copy 1' })],
      [`${other}?schema=copied`, postgresStore(other, { schema: 'copied' })],
    ] as const) {
      await store.backup(target);
      const copy = await place.open('the copy');
      onTestFinished(() => copy.close());
      expect(await copy.verify()).toEqual({ records: 501, lines: 2, damaged: [] });
      expect(await copy.read('hostile \0')).toEqual(await store.read('hostile \0'));
      expect(await copy.journal('hostile \0', { from: 0, limit: 9 })).toEqual(['\0', '\uD800']);
      await copy.commit({ id: 'r1', expectedRevision: 1, status: 'GOES ON' });
      expect(await store.read('r1')).toMatchObject({ status: 'ACTIVE' });
    }
  });

  test('has the state of one instant, while writes go on', async () => {
    const { store, url } = await filled();
    const first = await NumberedWriter.create(store, 'first');
    const second = await NumberedWriter.create(store, 'second');
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) {
        await first.write();
        await second.write();
      }
    })();
    await store.backup('copy');
    over.abort();
    await writing;
    const copy = await postgresStore(url, { schema: 'copy' }).read();
    onTestFinished(() => copy.close());
    const [one, other] = [(await copy.read('first'))!, (await copy.read('second'))!];
    expect([0, 1]).toContain(one.revision - other.revision);
    expect(one.journalLength).toBe(one.revision - 1);
    expect((await copy.verify()).damaged).toEqual([]);
  });

  test('is refused where tables are, and where a path is meant', async () => {
    const { store, url } = await filled();
    await queryOf(url)('CREATE SCHEMA busy; CREATE TABLE busy.songs (song text)');
    for (const target of ['busy', 'dramaturg', url])
      await expect(store.backup(target)).rejects.toMatchObject({ code: 'store/exists' });
    for (const target of ['./copy', '/var/copy', '', 'pg_copy'])
      await expect(store.backup(target)).rejects.toMatchObject({ code: 'store/bad-request' });
  });

  test('is restored like that of any store', async () => {
    const { store, url } = await filled();
    await store.backup('copy');
    const restored = postgresStore(url, { schema: 'restored' });
    expect(await copyStore(postgresStore(url, { schema: 'copy' }), restored)).toMatchObject({
      records: 501,
      lines: 2,
      skipped: [],
    });
  });
});

/** An open store with 501 records. */
async function filled() {
  const { url } = (await sharedPostgres()).createDatabase();
  const store = await postgresStore(url).open('the test');
  onTestFinished(() => store.close());
  const ids = Array.from({ length: 500 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id, index) => store.create(aRecord({ id, createdAt: index / 3 }))));
  await store.create(
    aRecord({
      id: 'hostile \0',
      contact: '␀0',
      snapshot: ['\0', '\uD800', '"\\', -0.1],
      parts: [{ key: '\0', value: '\0' }],
      outbox: [{ id: '␀', body: '\\u0000' }],
      timers: [{ key: '\0', at: 1.5 }],
      journal: ['\0', '\uD800'],
    }),
  );
  return { store, url };
}
