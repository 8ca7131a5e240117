import { dirname } from 'node:path';
import type { DamagedRecord } from '../contract.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { checkIsNew, checkOutside } from '../own-path.ts';
import { OpenSqliteReader } from './open-reader.ts';
import type { SqliteStoreParts } from './parts.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import { pathOfNewFile } from './store-path.ts';

/** Pages that are copied before other work gets its turn. */
const pagesPerSlice = 200;

/**
 * Copies the database while it is in use. Changes during the copy are copied, too. The copy gets its name when it has
 * been verified.
 *
 * @param known records that are damaged in the store itself
 */
export async function backupDatabase(
  {
    database,
    Database,
    file,
    system,
  }: Pick<SqliteStoreParts, 'database' | 'Database' | 'file' | 'system'>,
  target: string,
  known: readonly DamagedRecord[],
): Promise<void> {
  const { files } = system;
  const own = ['-wal', '-mark', '-shm', '-journal', '.lock'].map((end) => file.path + end);
  checkOutside(file.path, target, own);
  try {
    await checkIsNew(target, files);
    const path = await pathOfNewFile(target, files);
    checkOutside(file.path, path, own);
    const draft = `${path}.${system.randomId()}.new`;
    try {
      await (await files.open(draft, 'new')).close();
      await database.backup(draft, { progress: () => pagesPerSlice });
      const copy = new Database(draft);
      const reader = new OpenSqliteReader(draft, copy, system);
      try {
        copy.pragma('locking_mode = EXCLUSIVE');
        copy.pragma('journal_mode = DELETE');
        const token = system.randomId();
        copy.prepare('UPDATE owner SET base = ?, token = ?, needs_log = 0').run(token, token);
        const { damaged } = await reader.verify();
        checkDamage(damaged, known);
      } finally {
        await reader.close();
      }
      await files.link(draft, path);
      await files.flushFolder(dirname(path));
    } finally {
      for (const end of ['', '-journal', '-wal']) await files.remove(draft + end);
    }
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') await checkIsNew(target, files);
    throw sqliteFailure(`Copying the store to ${target}`, error);
  }
}

function checkDamage(found: readonly DamagedRecord[], known: readonly DamagedRecord[]): void {
  const knownIds = new Set(known.map(({ id }) => id));
  const news = found.filter(({ id }) => !knownIds.has(id));
  if (news.length === 0) return;
  throw new StoreError(
    'store/damaged',
    `The store has damage that was not known, so it was not copied: ${news[0]!.reason} Verify the store.`,
  );
}
