import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const record = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1 };

/** Removes the empty folders, as programs do that copy files and know no folders. */
function removeEmptyFolders(path: string): number {
  let removed = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const inner = join(path, entry.name);
    removed += removeEmptyFolders(inner);
    if (readdirSync(inner).length > 0) continue;
    rmdirSync(inner);
    removed += 1;
  }
  return removed;
}

test('a store that was copied without its empty folders is opened, read and written', async () => {
  const folder = temporaryFolder();
  const store = await lowdbStore(folder).open('the first');
  await store.create(record);
  await store.close();
  expect(removeEmptyFolders(folder)).toBeGreaterThan(0);

  const reader = await lowdbStore(folder).read();
  expect(await reader.read('a')).toMatchObject({ revision: 1 });
  await reader.close();
  const again = await lowdbStore(folder).open('the second');
  expect(await again.read('a')).toMatchObject({ revision: 1 });
  await again.create({ ...record, id: 'b' });
  await again.close();
  const last = await lowdbStore(folder).open('the third');
  expect(await last.read('b')).toMatchObject({ revision: 1 });
  await last.close();
});

test('an empty store that was copied without its folders is opened', async () => {
  const folder = temporaryFolder();
  await (await lowdbStore(folder).open('the first')).close();
  removeEmptyFolders(folder);
  const again = await lowdbStore(folder).open('the second');
  await again.create(record);
  expect(await again.read('a')).toMatchObject({ revision: 1 });
  await again.close();
});

test('a store that lost its folder of records does not look empty', async () => {
  const folder = temporaryFolder();
  const store = await lowdbStore(folder).open('the first');
  await store.create(record);
  await store.close();
  rmSync(join(folder, 'data', 'records'), { recursive: true });
  const opened = await lowdbStore(folder, { onError: () => {} })
    .open('the second')
    .then(
      async (again) => {
        const found = await again.read('a').catch((error: { code: string }) => error.code);
        await again.close();
        return found;
      },
      (error: { code: string }) => error.code,
    );
  expect(opened).toBe('store/damaged');
});
