import type Library from 'better-sqlite3';
import type { FileSystem } from '../disk/file-system.ts';
import { StoreError } from '../errors.ts';
import { type DatabaseHeader, readHeader, readImage, withFile } from './database-image.ts';
import { type LogFile, readLogFile } from './log-file.ts';
import { isLogComplete, logMarkIn } from './log-mark.ts';
import { type Mark, markPage, readMark } from './mark.ts';
import { checkIsStore } from './schema.ts';

/** The condition of a store's files before SQLite touches them. */
export type Condition = { readonly kind: 'none' } | SoundCondition | LostCondition;

/** The newest data is missing. */
export interface LostCondition {
  readonly kind: 'lost';
  readonly what: 'database' | 'content of the database' | 'log' | 'matching log' | 'end of the log';
  /** The reason, as a sentence. */
  readonly reason: string;
}

export interface SoundCondition {
  readonly kind: 'sound';
  readonly header: DatabaseHeader;
  /** The log to apply; undefined without one. */
  readonly log: LogFile | undefined;
  /** Whether a change of the database's logging mode was interrupted. */
  readonly hasJournal: boolean;
  /** The newest mark. */
  readonly mark: Mark;
}

/** The number of pages that include the schema, the first page of each table and index, and the mark. */
const firstPages = 40;

/**
 * Reads the condition of a store. It finds:
 *
 * - a log (or a lock) without its database, and a database that was not closed without its log
 * - a log of another database, or of another state of the same one
 * - an empty or shortened database, and a damaged first page
 * - a log that ends before a commit that was flushed
 *
 * @throws `store/foreign` when the file is not a store
 */
export async function readCondition(
  path: string,
  files: FileSystem,
  Database: typeof Library,
): Promise<Condition> {
  // The database is checked last, because a process that creates the store creates it first.
  const hasLock = (await files.stat(`${path}.lock`)) !== undefined;
  const logStatus = await files.stat(`${path}-wal`);
  const found = await files.stat(path);
  if (found === undefined) {
    if (logStatus !== undefined)
      return lost('database', `The file ${path} is missing, and its log ${path}-wal is there.`);
    return hasLock
      ? lost('database', `The file ${path} is missing, and its lock ${path}.lock is there.`)
      : { kind: 'none' };
  }
  if (found.isFolder) {
    throw new StoreError('store/foreign', `${path} is a folder. Name a file for the store.`);
  }
  if (found.size === 0)
    return lost('content of the database', `The file ${path} is empty, and a store never is.`);
  const header = await withFile(files, path, readHeader);
  checkIsStore(header, path);
  const log =
    logStatus === undefined
      ? undefined
      : await withFile(files, `${path}-wal`, (file) => readLogFile(file, markPage));
  // An interrupted copy of the log may have written the number of pages before the pages.
  if (!hasAllPages(header, found.size, log)) {
    const size = header.pageCount * header.pageSize;
    return lost(
      'content of the database',
      `The file ${path} is cut off: it has ${found.size} bytes of ${size}.`,
    );
  }
  const ownMark = readMarkIn(await readImage(files, path, header, undefined, firstPages), Database);
  const newest =
    log?.pageSize === header.pageSize
      ? readMarkIn(await readImage(files, path, header, log, firstPages), Database)
      : ownMark;
  // A power cut may have torn a page while the log was copied, but the log still has the page.
  const own = ownMark ?? newest;
  if (own === undefined || newest === undefined)
    return lost('content of the database', `The first pages of ${path} are damaged.`);
  if (own.needs_log === 1 && logStatus === undefined) {
    return lost('log', `The store was not closed, and its log ${path}-wal is missing.`);
  }
  if (own.needs_log === 1 && log === undefined) {
    return lost(
      'matching log',
      `The store was not closed, and its log ${path}-wal is empty or its beginning is damaged.`,
    );
  }
  if (newest.token !== own.token && newest.base !== own.token) {
    return lost(
      'matching log',
      `The log ${path}-wal belongs to another state of ${path}, or to another file.`,
    );
  }
  const logMark = await logMarkIn(path, files);
  if (log?.hasLostCommits === true || !isLogComplete(logMark, log?.frames ?? 0, own, newest))
    return lost('end of the log', `The log ${path}-wal is damaged.`);
  const hasJournal = (await files.stat(`${path}-journal`)) !== undefined;
  return { kind: 'sound', header, log, hasJournal, mark: newest };
}

/** The error for a store whose newest data is missing. */
export function lostData(reason: string, path: string): StoreError {
  return new StoreError(
    'store/damaged',
    `${reason} The newest data of the store is not here, so the store is not served. Put back the files of ${path}, or restore a backup. To go on without that data, run "dramaturg repair".`,
  );
}

function lost(what: LostCondition['what'], reason: string): LostCondition {
  return { kind: 'lost', what, reason };
}

function hasAllPages(
  { pageSize, pageCount }: DatabaseHeader,
  size: number,
  log: LogFile | undefined,
): boolean {
  for (let page = Math.floor(size / pageSize) + 1; page <= pageCount; page += 1) {
    if (log?.pages.has(page) !== true) return false;
  }
  return true;
}

/** @returns undefined when the pages cannot be read */
function readMarkIn(image: Buffer, Database: typeof Library): Mark | undefined {
  try {
    const database = new Database(image, { readonly: true });
    try {
      return readMark(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return undefined;
    throw error;
  }
}
