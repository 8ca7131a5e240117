import type { Database } from 'better-sqlite3';

/**
 * The row of the table `owner`. It binds the log to the database, and tells whether a missing log is a loss:
 *
 * - Each log begins with a commit that has a new `token` and, as `base`, the token that the database has. A log belongs to a
 *   database when its base, or its token (when it has been copied), is the token in the database.
 * - `needs_log` is 1 in the database from the moment before a log is used, and 0 in the log. It is 0 in the database when
 *   SQLite has copied the whole log, which it does when the process exits without closing the store.
 */
export interface Mark {
  /** The number of times that the store was opened. */
  readonly epoch: number;
  readonly base: string;
  readonly token: string;
  readonly needs_log: 0 | 1;
}

/** The page of the row: `owner` is the first table, after the schema and, with `auto_vacuum`, the map of pages. */
export const markPage = 3;

export function readMark(database: Database): Mark | undefined {
  const select = 'SELECT epoch, base, token, needs_log FROM owner';
  return database.prepare(select).get() as Mark | undefined;
}

/** Changes the row. All values keep their length, so that only one sector of the page changes. */
export function writeMark(database: Database, { epoch, base, token, needs_log }: Mark): void {
  const update = 'UPDATE owner SET epoch = ?, base = ?, token = ?, needs_log = ?';
  database.prepare(update).run(epoch, base, token, needs_log);
}
