import type { Database } from 'better-sqlite3';
import { checksum } from '../checksum.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseHeader } from './database-image.ts';

/** 'dram' in the header of the file distinguishes it from other databases. */
const applicationId = 0x6472616d;
const version = 5;

/**
 * Each row has a checksum, `sum`, of its content and of the record that it belongs to; see `rows.ts`. A person who changes a row
 * sets its `sum` to `NULL`; the row is then accepted. A damaged record stays in its row with the reason in `damage`, and is not
 * served.
 *
 * `deletions` has the numbers of deleted records whose other rows are still there.
 *
 * Each page that a write changes is written and flushed, so the tables and indexes keep the number of pages low:
 *
 * - Columns that change with each write are not in the table of the snapshots: a page of `records` has many rows.
 * - `timers` is JSON text. `due_at` is the earliest of the timers, for the index.
 * - `parts` are the parts of snapshots. A part is appended to the table, and found by its index.
 * - `letters` are the outboxes. `waiting` is 1 when there are letters. It changes only with the first and the last letter.
 * - `queue` is the record's queue of people's work, `queued_at` the time when it began to wait there, and `acted_at` the time
 *   when a person last acted on it.
 * - `lines` has one row for the journal or transcript lines of one write: a JSON array, and the number of its first line. Rows
 *   are appended to the table. A table sorted by record would change pages in its middle. `position` is the order in which all
 *   writes were committed, so the journal lines are also the feed.
 * - `feed` has one row: the name of the feed, and the highest position of the rows that were deleted.
 */
const schema = `
  CREATE TABLE owner (
    epoch INTEGER NOT NULL,
    base TEXT NOT NULL,
    token TEXT NOT NULL,
    needs_log INTEGER NOT NULL,
    unflushed INTEGER NOT NULL
  ) STRICT;

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
    queue TEXT,
    queued_at REAL,
    owner TEXT,
    acted_at REAL,
    last_letter INTEGER NOT NULL,
    journal_length INTEGER NOT NULL,
    transcript_length INTEGER NOT NULL,
    letter_count INTEGER NOT NULL,
    part_count INTEGER NOT NULL,
    damage TEXT,
    sum INTEGER
  ) STRICT;
  CREATE INDEX records_by_age ON records (created_at, id);
  CREATE INDEX records_by_contact ON records (contact, created_at, id) WHERE contact IS NOT NULL;
  CREATE INDEX records_by_parent ON records (parent, created_at, id) WHERE parent IS NOT NULL;
  CREATE INDEX records_by_status ON records (status, created_at, id);
  CREATE INDEX records_by_kind ON records (kind, ended, created_at, id);
  CREATE INDEX records_in_progress ON records (kind) WHERE ended = 0;
  CREATE INDEX records_with_letters ON records (created_at, id) WHERE waiting = 1;
  CREATE INDEX records_with_questions ON records (created_at, id) WHERE questions > 0;
  CREATE INDEX records_by_queue ON records (queue, queued_at, id) WHERE queue IS NOT NULL;
  CREATE INDEX records_by_owner ON records (owner, created_at, id) WHERE owner IS NOT NULL;
  CREATE INDEX records_by_act ON records (acted_at) WHERE acted_at IS NOT NULL;
  CREATE INDEX records_by_due ON records (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX records_with_damage ON records (number) WHERE damage IS NOT NULL;

  CREATE TABLE deletions (
    record INTEGER PRIMARY KEY
  ) STRICT;

  CREATE TABLE snapshots (
    record INTEGER PRIMARY KEY,
    sum INTEGER,
    text TEXT NOT NULL
  ) STRICT;

  CREATE TABLE parts (
    record INTEGER NOT NULL,
    key TEXT NOT NULL,
    sum INTEGER,
    text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX parts_by_key ON parts (record, key);

  CREATE TABLE letters (
    record INTEGER NOT NULL,
    id TEXT NOT NULL,
    place INTEGER NOT NULL,
    sum INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (record, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lines (
    position INTEGER PRIMARY KEY,
    record INTEGER NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    sum INTEGER,
    text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX lines_by_first ON lines (record, kind, first);

  CREATE TABLE feed (
    name TEXT NOT NULL,
    last INTEGER NOT NULL
  ) STRICT;
`;

/** @throws `store/foreign` when a file with this header is not a store, or a store of another version */
export function checkIsStore(
  header: DatabaseHeader | undefined,
  path: string,
): asserts header is DatabaseHeader {
  if (header === undefined) {
    throw new StoreError(
      'store/foreign',
      `${path} is not a store, or its first page is damaged. Name a file that does not exist, or restore a backup.`,
    );
  }
  if (header.applicationId !== applicationId) {
    throw new StoreError(
      'store/foreign',
      `${path} is a database, but not a store. Name a file that does not exist.`,
    );
  }
  if (header.userVersion !== version) {
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${header.userVersion}, and this release reads version ${version}. Use the release that made it.`,
    );
  }
}

/** Creates the tables in an empty database. */
export function makeSchema(database: Database, token: string): void {
  // `compact` gives free pages back to the system.
  database.pragma('auto_vacuum = INCREMENTAL');
  database.transaction(() => {
    database.exec(schema);
    database.prepare('INSERT INTO owner VALUES (0, ?, ?, 0, 0)').run(token, token);
    database.prepare('INSERT INTO feed VALUES (?, 0)').run(checksum(token));
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${version}`);
  })();
}
