import type { Scheduler } from '../disk/system.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import type { SqliteStoreParts } from './parts.ts';
import { lastPosition } from './rows.ts';

/** A database of at most this many pages (8 MiB) is rewritten in one go. */
const rewrittenPagesMax = 2_000;

/** The number of rows or pages in one slice: a few milliseconds. */
const rowsPerSlice = 500;
const pagesPerSlice = 200;

/**
 * Removes the rows of deleted records, then moves the free pages to the end of the file and cuts it off, then empties the log.
 * Each slice is one transaction among the others.
 *
 * SQLite overwrites deleted rows, except copies that it made in the same page while it balanced a tree. A small database is
 * therefore rewritten. In a large one the indexes are rewritten, because they contain the copies of names.
 */
export async function compactDatabase({
  database,
  file,
  group,
  checkpoint,
  log,
  system,
}: Pick<
  SqliteStoreParts,
  'database' | 'file' | 'group' | 'checkpoint' | 'log' | 'system'
>): Promise<void> {
  const { scheduler }: { readonly scheduler: Scheduler } = system;
  const nextDeletion = database.prepare('SELECT record FROM deletions LIMIT 1').pluck();
  const removals = ['snapshots', 'parts', 'letters', 'lines'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE record = ? LIMIT ${rowsPerSlice}`),
  );
  const keepPosition = database.prepare(`UPDATE feed SET last = (${lastPosition})`);
  const finish = database.prepare('DELETE FROM deletions WHERE record = ?');
  const freePages = database.prepare('PRAGMA freelist_count').pluck();
  /** @returns false when nothing is left to remove */
  const removeSlice = (): boolean => {
    const record = nextDeletion.get() as number | undefined;
    if (record === undefined) return false;
    keepPosition.run();
    const removed = removals.reduce((sum, removal) => sum + removal.run(record).changes, 0);
    if (removed === 0) finish.run(record);
    return true;
  };
  const vacuumSlice = (): boolean => {
    if (freePages.get() === 0) return false;
    database.pragma(`incremental_vacuum(${pagesPerSlice})`);
    return true;
  };
  const indexes = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").pluck();
  const waitingIndexes = indexes.all() as string[];
  const reindexSlice = (): boolean => {
    const index = waitingIndexes.pop();
    if (index !== undefined) database.exec(`REINDEX ${index}`);
    return index !== undefined;
  };
  const isSmall = (database.pragma('page_count', { simple: true }) as number) <= rewrittenPagesMax;
  const slices = isSmall ? [removeSlice] : [removeSlice, reindexSlice, vacuumSlice];
  for (const slice of slices) {
    while (await group.run(slice, false)) await scheduler.yield();
  }
  log.check();
  try {
    // The temporary copy stays in memory.
    if (isSmall) database.exec('PRAGMA temp_store = MEMORY; VACUUM');
    checkpoint.runAndEmptyLog();
  } catch (error) {
    throw sqliteFailure(`Compacting ${file.path}`, error);
  }
}
