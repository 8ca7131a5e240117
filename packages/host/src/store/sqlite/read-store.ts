import type Library from 'better-sqlite3';
import type { StoreReader } from '../contract.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { lostData, readCondition } from './condition.ts';
import { checkNotOpenHere, oneAtATime } from './database-file.ts';
import { readImage } from './database-image.ts';
import { OpenSqliteReader } from './open-reader.ts';

/**
 * Opens a store for reading. A closed store is read from its file, in moments when no owner has it. The file of a store that was
 * not closed cannot be read without writing next to it, so it is copied to memory together with its log.
 *
 * @throws `store/owned`; `store/unknown` when there is no store; `store/damaged` when its newest data is missing
 */
export async function openReader(
  path: string,
  { Database, system }: { readonly Database: typeof Library; readonly system: System },
): Promise<StoreReader> {
  const { files } = system;
  await checkNotOwned(`${path}.lock`, system);
  return oneAtATime(async () => {
    checkNotOpenHere(path);
    const condition = await readCondition(path, files, Database);
    if (condition.kind === 'none') {
      throw new StoreError('store/foreign', `There is no store ${path}. Check the path.`);
    }
    if (condition.kind === 'lost') throw lostData(condition.reason, path);
    const { header, log, hasJournal } = condition;
    const isReadable = !header.usesLog && log === undefined && !hasJournal;
    const database = isReadable
      ? new Database(path, { readonly: true, fileMustExist: true, timeout: 1_000 })
      : new Database(await readImage(files, path, header, log), { readonly: true });
    return new OpenSqliteReader(path, database, system);
  });
}
