import type { Database } from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/** 'dram' in the header of the file distinguishes it from other databases. */
const applicationId = 0x6472616d;
const version = 1;

/**
 * Each text has a checksum, `sum`. A person who changes a text sets its `sum` to `NULL`; the text is then accepted. A
 * damaged record stays in its row with the reason in `damage`, and is not served.
 *
 * Each page that a write changes is written and flushed, so the tables and indexes keep the number of pages low:
 *
 * - Columns that change with each write are not in the table of the snapshots: a page of `records` has many rows.
 * - `timers` is JSON text. `due_at` is the earliest of the timers, for the index.
 * - `waiting` is 1 when there are letters. It changes with the first and the last letter only.
 * - `lines` has one row for the journal or transcript lines of one write: a JSON array, and the number of its first
 *   line. Rows are appended to the table. A table sorted by record would change pages in its middle.
 */
const schema = `
  CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    contact TEXT,
    parent TEXT,
    definition TEXT,
    version TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    status TEXT NOT NULL,
    ended INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    timers TEXT NOT NULL,
    due_at REAL,
    waiting INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    last_letter INTEGER NOT NULL,
    journal_length INTEGER NOT NULL,
    transcript_length INTEGER NOT NULL,
    damage TEXT
  ) STRICT;
  CREATE INDEX records_by_age ON records (created_at, id);
  CREATE INDEX records_by_contact ON records (contact, created_at, id) WHERE contact IS NOT NULL;
  CREATE INDEX records_by_parent ON records (parent, created_at, id) WHERE parent IS NOT NULL;
  CREATE INDEX records_by_status ON records (status, created_at, id);
  CREATE INDEX records_by_kind ON records (kind, ended, created_at, id);
  CREATE INDEX records_with_letters ON records (created_at, id) WHERE waiting = 1;
  CREATE INDEX records_with_questions ON records (created_at, id) WHERE questions > 0;
  CREATE INDEX records_by_due ON records (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX records_with_damage ON records (number) WHERE damage IS NOT NULL;

  CREATE TABLE snapshots (
    record INTEGER PRIMARY KEY,
    sum INTEGER,
    text TEXT NOT NULL
  ) STRICT;

  CREATE TABLE letters (
    record INTEGER NOT NULL,
    box TEXT NOT NULL,
    id TEXT NOT NULL,
    place INTEGER NOT NULL,
    sum INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (record, box, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lines (
    record INTEGER NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    sum INTEGER,
    text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX lines_by_first ON lines (record, kind, first);
`;

/**
 * Checks whether the database is a store; false when it is empty.
 *
 * @throws `store/foreign` when the database is not a store, or a store of a later version
 */
export function checkSchema(database: Database, path: string): boolean {
  const found = database.pragma('application_id', { simple: true });
  const foundVersion = database.pragma('user_version', { simple: true });
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (isEmpty && found === 0 && foundVersion === 0) return false;
  if (found !== applicationId) {
    throw new StoreError(
      'store/foreign',
      `${path} is a database, but not a store. Name a file that does not exist.`,
    );
  }
  if (foundVersion !== version) {
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${String(foundVersion)}, and this release reads version ${version}. Use the later release.`,
    );
  }
  return true;
}

export function makeSchema(database: Database): void {
  database.transaction(() => {
    database.exec(schema);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${version}`);
  })();
}
