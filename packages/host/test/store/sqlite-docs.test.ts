import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const page = new URL('../../../../docs/stores.md', import.meta.url);

test('the query of docs/stores.md reads the lines of a journal', async () => {
  const queries = Array.from(
    readFileSync(page, 'utf8').matchAll(/```sql\n([^`]*)```/g),
    ([, query]) => query!,
  );
  expect(queries).toHaveLength(1);
  const file = join(temporaryFolder(), 'store.db');
  const store = await sqliteStore(file).open('a test');
  await store.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 0 });
  await store.create({ id: 'b', kind: 'k', createdAt: 1, status: 's', snapshot: 0 });
  await store.commit({ id: 'b', expectedRevision: 1, journal: ['of another record'] });
  await store.commit({ id: 'a', expectedRevision: 1, journal: ['one', 'two'], transcript: ['t'] });
  await store.commit({ id: 'a', expectedRevision: 2, journal: [{ type: 'three' }] });
  await store.close();
  const database = new Database(file, { readonly: true });
  const rows = database.prepare(queries[0]!.replace("'…'", "'a'")).all();
  database.close();
  expect(rows).toEqual([
    { line: 0, value: 'one' },
    { line: 1, value: 'two' },
    { line: 2, value: '{"type":"three"}' },
  ]);
});
