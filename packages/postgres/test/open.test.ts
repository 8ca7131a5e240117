import { inspect } from 'node:util';
import { sharedPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

describeWithPostgres('opening a store in Postgres', () => {
  test('of many that open a new store at once, one gets it', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => postgresStore(url).open(`owner ${index}`)),
    );
    const stores = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const codes = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason.code] : [],
    );
    expect(stores).toHaveLength(1);
    expect(codes).toEqual(Array.from({ length: 5 }, () => 'store/owned'));
    await stores[0]!.create(aRecord());
    await stores[0]!.close();
    expect(await queryOf(url)('SELECT version FROM dramaturg.store_versions')).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4 },
      { version: 5 },
    ]);
  });

  test('a store of version 1 gets a feed, and its records go on', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('me');
    const journal = ['one', 'two \0 \ud800'];
    await store.create(aRecord({ journal, transcript: ['hello'] }));
    await store.create(aRecord({ id: 'b', journal: ['three'] }));
    await store.commit({ id: 'a', expectedRevision: 1, journal: ['four'] });
    await store.close();
    await queryOf(url)(`
      DELETE FROM dramaturg.store_versions WHERE version >= 2;
      ALTER TABLE dramaturg.records DROP COLUMN queue, DROP COLUMN queued_at, DROP COLUMN owner, DROP COLUMN acted_at;
      DROP INDEX dramaturg.records_open_instances;
      ALTER TABLE dramaturg.lines DROP COLUMN position, DROP COLUMN count;
      ALTER TABLE dramaturg.progress DROP COLUMN feed, DROP COLUMN last_position;
    `);
    const again = await postgresStore(url).open('me, later');
    const { position } = await again.commit({ id: 'b', expectedRevision: 1, journal: ['five'] });
    const { entries, feed } = await again.feed({ after: 0, limit: 10 });
    expect(feed).not.toBe('');
    expect(entries.map(({ id, from, lines }) => ({ id, from, lines }))).toEqual([
      { id: 'a', from: 0, lines: 2 },
      { id: 'a', from: 2, lines: 1 },
      { id: 'b', from: 0, lines: 1 },
      { id: 'b', from: 1, lines: 1 },
    ]);
    expect(entries.at(-1)!.position).toBe(position);
    expect((await again.verify()).damaged).toEqual([]);
    await again.close();
  });

  test('instances of a store of version 2 are in the queue of their state', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('me');
    const kind = 'instance';
    await store.create(aRecord({ id: 'p', kind, status: 'PAUSED', updatedAt: 7 }));
    await store.create(aRecord({ id: 'n', kind, status: 'NEEDS_HUMAN_INTERVENTION' }));
    await store.create(aRecord({ id: 'd', kind, questions: 2 }));
    await store.create(aRecord({ id: 'o', kind }));
    await store.close();
    await queryOf(url)(`
      DELETE FROM dramaturg.store_versions WHERE version > 2;
      ALTER TABLE dramaturg.records DROP COLUMN queue, DROP COLUMN queued_at, DROP COLUMN owner, DROP COLUMN acted_at;
      DROP INDEX dramaturg.records_open_instances;
    `);
    const again = await postgresStore(url).open('me, later');
    const { items } = await again.list({ queue: 'paused' }, { limit: 9 });
    expect(items).toMatchObject([{ id: 'p', attention: { queue: 'paused', since: 7 } }]);
    expect(await again.count({ queue: 'needsPerson' })).toBe(1);
    expect(await again.count({ queue: 'decisions' })).toBe(1);
    expect(await again.count({ kind, ended: false })).toBe(4);
    await again.commit({ id: 'p', expectedRevision: 1, attention: {} });
    expect((await again.verify()).damaged).toEqual([]);
    await again.close();
  });

  test('each tenant has a schema of its own', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const one = await postgresStore(url, { schema: 'tenant "1"' }).open('the first');
    const other = await postgresStore(`${url}?schema=Tenant%202`).open('the second');
    await one.create(aRecord());
    expect(await other.read('a')).toBeUndefined();
    await one.close();
    await other.close();
    const reader = await postgresStore(`${url}?schema=tenant%20%221%22`).read();
    expect(await reader.read('a')).toBeDefined();
    await reader.close();
  });

  test('a place without a store cannot be read, and reading makes nothing', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    await expect(postgresStore(url).read()).rejects.toMatchObject({
      code: 'store/foreign',
      message: expect.stringContaining('Check the name of the database and of the schema.'),
    });
    expect(await queryOf(url)(schemas)).toEqual([]);
  });

  test('a schema with tables of somebody else is left as it is', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const query = queryOf(url);
    await query('CREATE SCHEMA dramaturg; CREATE TABLE dramaturg.records (song text)');
    for (const open of [() => postgresStore(url).open('me'), () => postgresStore(url).read()])
      await expect(open()).rejects.toMatchObject({
        code: 'store/foreign',
        message: expect.stringContaining('has a table "records". Name another schema.'),
      });
    expect(await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'dramaturg'`)).toEqual([
      { tablename: 'records' },
    ]);
  });

  test('a store of version 3 gets the function that stores groups of this version', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const store = await postgresStore(url).open('me');
    await store.create(aRecord());
    await store.close();
    await queryOf(url)(`
      DELETE FROM dramaturg.store_versions WHERE version > 3;
      DROP FUNCTION dramaturg.store_group;
      CREATE FUNCTION dramaturg.store_group(own_token bigint, deleted bigint[]) RETURNS boolean LANGUAGE sql
        AS 'SELECT true';
    `);
    const again = await postgresStore(url).open('me, later');
    await again.commit({ id: 'a', expectedRevision: 1, journal: ['one'] });
    expect(await again.read('a')).toMatchObject({ revision: 2, journalLength: 1 });
    expect((await again.verify()).damaged).toEqual([]);
    await again.close();
    expect(
      await queryOf(url)(`SELECT count(*)::int FROM pg_proc WHERE proname = 'store_group'`),
    ).toEqual([{ count: 1 }]);
  });

  test('a store of a later version is refused, with what to do', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    await (await postgresStore(url).open('me')).close();
    await queryOf(url)('INSERT INTO dramaturg.store_versions (version) VALUES (99)');
    for (const open of [() => postgresStore(url).open('me'), () => postgresStore(url).read()])
      await expect(open()).rejects.toMatchObject({
        code: 'store/foreign',
        message: expect.stringMatching(
          /a store of version 99, .* reads version \d+\. Use the release/,
        ),
      });
  });

  test('a database that is not in UTF-8 is refused', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    await queryOf(url)(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    onTestFinished(async () => void (await queryOf(url)('DROP DATABASE latin')));
    const place = postgresStore(url.replace(/[^/]*$/, 'latin'));
    await expect(place.open('me')).rejects.toMatchObject({
      code: 'store/foreign',
      message: expect.stringContaining('Create one with the encoding UTF8.'),
    });
  });

  test('a user without rights learns what is missing', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const query = queryOf(url);
    await query(`CREATE ROLE visitor LOGIN`);
    onTestFinished(async () => void (await query('DROP ROLE visitor')));
    const asVisitor = postgresStore(url.replace('postgres@', 'visitor@'));
    await expect(asVisitor.open('me')).rejects.toMatchObject({
      message: expect.stringContaining('permission denied'),
    });
    await (await postgresStore(url).open('me')).close();
    await expect(asVisitor.read()).rejects.toMatchObject({
      code: 'store/read-only',
      message: expect.stringContaining('Grant the user the rights'),
    });
  });

  test('no error shows the password', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const password = 'Xyloph0ne-77';
    const withPassword = url.replace('postgres@', `postgres:${password}@`);
    const places = [
      withPassword.replace(/:\d+\//, ':1/'),
      withPassword.replace(/[^/]*$/, 'missing'),
      withPassword.replace('postgres://', 'mysql://'),
      `postgres://postgres:${password}@[::bad`,
    ];
    for (const place of places) {
      const error = await postgresStore(place, { connectMs: 1_000 })
        .open('me')
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'StoreError' });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
    }
    const store = await postgresStore(withPassword).open('me');
    onTestFinished(() => store.close());
    expect(inspect(store, { depth: 10 })).not.toContain(password);
  });

  test('a name of a schema that Postgres cuts or reserves is refused', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    for (const schema of ['', 'x'.repeat(64), 'pg_mine', 'a\0b', '\uD800'])
      await expect(postgresStore(url, { schema }).open('me')).rejects.toMatchObject({
        code: 'store/bad-request',
      });
  });
});

const schemas = `SELECT nspname FROM pg_namespace WHERE nspname = 'dramaturg'`;
