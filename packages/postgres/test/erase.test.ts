import { sharedPostgres } from '@dramaturg/test-servers';
import { eraseFrom } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

const secret = 'the secret of ada';

describeWithPostgres('an erase in Postgres', () => {
  test('says what remains, and leaves no byte in the tables when it rewrites them', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const place = postgresStore(url);
    const query = queryOf(url);
    const isInTables = async () => {
      await query('CHECKPOINT');
      const [found] = await query(
        `SELECT bool_or(position('${secret}'::bytea IN pg_read_binary_file(pg_relation_filepath(c.oid))) > 0) AS found
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'dramaturg' AND c.relkind IN ('r', 'i')`,
      );
      return (found as { found: boolean }).found;
    };
    const erase = async (rewrite: boolean) => {
      const store = await place.open('the test');
      const fields = { kind: 'instance', contact: 'ada', ended: true, status: secret };
      await store.create(aRecord({ ...fields, id: 'a', transcript: [secret] }));
      // A page with other rows is not cut off.
      await store.create(aRecord({ id: `other ${String(rewrite)}`, transcript: ['hello'] }));
      await store.close();
      expect(await isInTables()).toBe(true);
      return eraseFrom(place, { contact: 'ada', rewrite }, { forget: async () => 0 });
    };
    const { remains } = await erase(false);
    expect(remains).toMatch(
      /^Bytes of deleted rows stay .* VACUUM FULL, .* log .* replicas and backups/,
    );
    expect((await erase(true)).remains).toMatch(/^The write-ahead log .* replicas and backups/);
    expect(await isInTables()).toBe(false);
  });
});
