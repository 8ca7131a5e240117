import { StoreError, type StoreErrorCode, systemCodeOf, systemFailure } from '../errors.ts';

const codesOfSqlite: readonly (readonly [start: string, code: StoreErrorCode])[] = [
  ['SQLITE_FULL', 'store/full'],
  ['SQLITE_READONLY', 'store/read-only'],
  ['SQLITE_CANTOPEN', 'store/read-only'],
  ['SQLITE_PERM', 'store/read-only'],
  ['SQLITE_NOTADB', 'store/foreign'],
  ['SQLITE_CORRUPT', 'store/damaged'],
];

/** Wraps an error of SQLite in a `StoreError`. */
export function sqliteFailure(doing: string, cause: unknown): StoreError {
  const found = codesOfSqlite.find(([start]) => systemCodeOf(cause)?.startsWith(start));
  if (found === undefined) return systemFailure(doing, cause);
  return new StoreError(found[1], `${doing} failed: ${(cause as Error).message}.`, { cause });
}

/** Whether a page of the database is unreadable: then the record that was read is damaged. */
export function isCorrupt(error: unknown): boolean {
  return systemCodeOf(error)?.startsWith('SQLITE_CORRUPT') ?? false;
}

/** Whether a flush failed. Then the content of the device is unknown. */
export function isFailedFlush(error: unknown): boolean {
  return ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC'].includes(systemCodeOf(error) ?? '');
}

/** Whether another connection has the file locked. */
export function isBusy(error: unknown): boolean {
  return systemCodeOf(error)?.startsWith('SQLITE_BUSY') === true;
}
