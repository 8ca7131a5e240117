import type { Database, Statement } from 'better-sqlite3';
import type { Json } from '@dramaturg/compiler';
import { checkedPage, type ListPosition, toCursor } from '../check.ts';
import type {
  CountFilter,
  DueTimer,
  FeedPage,
  FeedRequest,
  LineRange,
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  StoreRecord,
} from '../contract.ts';
import type { Scheduler } from '../disk/system.ts';
import { damagedRecord } from '../errors.ts';
import type { FeedEntry } from '../feed.ts';
import { readInParts } from '../pages.ts';
import { RecordDamageError } from '../record-damage-error.ts';
import type { Tables } from '../table-reader.ts';
import {
  dueIn,
  linesIn,
  outboxIn,
  partsIn,
  type PieceColumns,
  snapshotIn,
  summariesIn,
  summaryIn,
} from '../table-rows.ts';
import type { LineTexts } from '../write.ts';
import {
  checkRecord,
  checkTexts,
  lastPosition,
  type LinesRow,
  recordColumns,
  type RecordRow,
  sumOfLines,
  sumOfPart,
} from './rows.ts';
import { isCorrupt } from './sqlite-errors.ts';
import { locationOf } from './writer.ts';

interface Listing extends Pick<Scheduler, 'yield'> {
  /** Called for a record that a list omits because it is damaged. */
  readonly onDamage: (damage: RecordDamageError) => void;
}

type StoredLines = LinesRow & Omit<PieceColumns, 'name'>;

/** Reads the tables. It keeps no record in memory. */
export class SqliteTables implements Tables {
  readonly #database: Database;
  readonly #path: string;
  readonly #listing: Listing;
  readonly #statements;
  /** Prepared list statements by their SQL: one for each combination of filter fields. */
  readonly #lists = new Map<string, Statement>();

  constructor(database: Database, path: string, listing: Listing) {
    this.#database = database;
    this.#path = path;
    this.#listing = listing;
    this.#statements = statementsFor(database);
  }

  damaged(): { readonly id: string; readonly reason: string }[] {
    return this.#statements.damaged.all() as { readonly id: string; readonly reason: string }[];
  }

  record(id: string): StoreRecord | undefined {
    return withDamageError(id, () => {
      const row = this.#row(id);
      if (row === undefined) return undefined;
      const { number } = row;
      const { snapshot, parts, letters } = this.#statements;
      const pieces = (statement: Statement, what: string) => {
        const found = statement.all(number) as PieceColumns[];
        for (const { name } of found) checkTexts(id, [name], what);
        return found;
      };
      return {
        ...summaryIn(row),
        snapshot: snapshotIn(row, snapshot.get(number) as PieceColumns | undefined),
        parts: partsIn(row, pieces(parts, 'row of a part'), ({ name, text }) =>
          sumOfPart(number, name, text),
        ),
        outbox: outboxIn(row, pieces(letters, 'row of a letter')),
      };
    });
  }

  lines(id: string, kind: keyof LineTexts, range: LineRange): Json[] | undefined {
    return withDamageError(id, () => {
      const row = this.#row(id);
      if (row === undefined) return undefined;
      const { number } = row;
      const { from, limit } = range;
      const { firstBefore, lines } = this.#statements;
      // The row with the first line of the range may begin before it.
      const start = (firstBefore.get(number, kind, from) ?? 0) as number;
      const found = lines.all(number, kind, from + limit, start) as StoredLines[];
      return linesIn(row, kind, range, found, sumOfLines);
    });
  }

  #row(id: string): RecordRow | undefined {
    const row = this.#statements.record.get(id) as RecordRow | undefined;
    if (row !== undefined && row.damage !== null)
      throw damagedRecord(id, row.damage, locationOf(this.#path));
    return row && checkRecord(row);
  }

  /** Reads at most `limit` records, in the order of their earliest timers, which is enough. */
  due(before: number, limit: number): DueTimer[] {
    const rows = this.#statements.due.all(before, limit) as RecordRow[];
    return dueIn(this.#summaries(rows), before, limit);
  }

  #summaries(rows: readonly RecordRow[]): RecordSummary[] {
    return summariesIn(rows, checkRecord, this.#listing.onDamage);
  }

  pending(request: PageRequest): Page<string> {
    const { after, limit } = checkedPage(request);
    const { page, nextOf } = pageOf(
      (count) => this.#statements.pending.all(...cursorValues(after), count) as ListPosition[],
      limit,
    );
    return { items: page.map(({ id }) => id), ...nextOf(page.at(-1)) };
  }

  list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    return readInParts(checkedPage(page), this.#listing, (after, limit) =>
      this.#part(filter, after, limit),
    );
  }

  #part(filter: RecordFilter, after: ListPosition | undefined, limit: number): Page<RecordSummary> {
    const { sql, values } = listQuery(filter);
    const statement = this.#prepared(sql);
    const { page, nextOf } = pageOf(
      (count) => statement.all(...values, ...cursorValues(after), count) as RecordRow[],
      limit,
    );
    const last = page.at(-1);
    const timeOf = ({ queued_at, created_at }: RecordRow) =>
      filter.queue === undefined ? created_at : queued_at!;
    return {
      items: this.#summaries(page),
      ...nextOf(last && { id: last.id, createdAt: timeOf(last) }),
    };
  }

  count(filter: CountFilter): number {
    const { sql, values } = countQuery(filter);
    const { count } = this.#prepared(sql).get(...values) as { count: number };
    return count;
  }

  /** Reads the feed: the rows of journal lines in the order of their commits. */
  feed({ after, limit, contact }: FeedRequest): FeedPage {
    const { feed: all, feedOfContact: ofContact, feedState } = this.#statements;
    const entries =
      contact === undefined ? all.all(after, limit) : ofContact.all(contact, after, limit);
    const { feed, last } = feedState.get() as Pick<FeedPage, 'feed' | 'last'>;
    return { feed, last, entries: entries as FeedEntry[] };
  }

  #prepared(sql: string): Statement {
    const known = this.#lists.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#lists.set(sql, statement);
    return statement;
  }
}

function cursorValues(after: ListPosition | undefined): [number, string] {
  return after === undefined ? [Number.NEGATIVE_INFINITY, ''] : [after.createdAt, after.id];
}

/** Reads one row more than the page has, to know whether there is a next page. */
function pageOf<Item>(find: (count: number) => Item[], limit: number) {
  const found = find(limit + 1);
  const isLast = found.length <= limit;
  return {
    page: isLast ? found : found.slice(0, limit),
    nextOf: (last: ListPosition | undefined) =>
      isLast || last === undefined ? {} : { next: toCursor(last) },
  };
}

function withDamageError<Value>(id: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw new RecordDamageError(id, 'A page of the database that contains it cannot be read.', {
      cause: error,
      mayPass: true,
    });
  }
}

function statementsFor(database: Database) {
  return {
    damaged: database.prepare(
      'SELECT id, damage AS reason FROM records WHERE damage IS NOT NULL ORDER BY number',
    ),
    record: database.prepare(`SELECT ${recordColumns} FROM records WHERE id = ?`),
    snapshot: database.prepare('SELECT sum, text FROM snapshots WHERE record = ?'),
    parts: database.prepare(
      'SELECT key AS name, 0 AS place, sum, text FROM parts WHERE record = ? ORDER BY key',
    ),
    letters: database.prepare(
      'SELECT id AS name, place, sum, body AS text FROM letters WHERE record = ? ORDER BY place',
    ),
    lines: database.prepare(
      `SELECT position, record, kind, first, first AS place, count, sum, text FROM lines
       WHERE record = ${parameter} AND kind = ${parameter} AND first < ${parameter} AND first >= ${parameter}
       ORDER BY first`,
    ),
    firstBefore: database
      .prepare(
        `SELECT first FROM lines WHERE record = ${parameter} AND kind = ${parameter} AND first <= ${parameter}
         ORDER BY first DESC LIMIT 1`,
      )
      .pluck(),
    due: database.prepare(
      `SELECT ${recordColumns} FROM records
       WHERE due_at <= ${parameter} AND damage IS NULL
       ORDER BY due_at, number LIMIT ${parameter}`,
    ),
    pending: database.prepare(
      `SELECT id, created_at AS createdAt FROM records
       WHERE waiting = 1 AND damage IS NULL AND ${afterCursor}
       ORDER BY created_at, id LIMIT ${parameter}`,
    ),
    feedState: database.prepare(`SELECT name AS feed, (${lastPosition}) AS last FROM feed`),
    // The order of the tables is the order of the search.
    feed: database.prepare(
      `SELECT ${feedColumns} FROM lines CROSS JOIN records ON number = lines.record WHERE ${isInFeed}`,
    ),
    feedOfContact: database.prepare(
      `SELECT ${feedColumns} FROM records CROSS JOIN lines INDEXED BY lines_by_first ON lines.record = number
       WHERE contact = (SELECT ?) AND ${isInFeed}`,
    ),
  };
}

const feedColumns =
  'lines.position, records.id, records.kind, lines.first AS "from", lines.count AS lines';
const isInFeed =
  "lines.kind = 'journal' AND lines.position > (SELECT ?) AND damage IS NULL ORDER BY position LIMIT (SELECT ?)";

/**
 * A parameter of a statement. SQLite plans a statement again for each new value of a limit or a sort column, which takes ten
 * times as long as the search. A subquery hides the value, and the same indexes are used.
 */
const parameter = '(SELECT ?)';

const afterCursor = `(created_at, id) > (${parameter}, ${parameter})`;

interface Query {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The columns of indexes that begin with the value of a column. The first one that a filter has is used. */
const indexedColumns = ['queue', 'contact', 'parent', 'owner', 'status'];

/**
 * Chooses the index that finds the fewest records for a filter. `+` keeps SQLite from using another index. The parameters of the
 * cursor and of the limit follow the values.
 */
function listQuery(filter: RecordFilter): Query {
  const { queue, contact, parent, owner, status, kind, ended, asks, actedSince, definition } =
    filter;
  const all: readonly (readonly [column: string, value: unknown])[] = [
    ['queue', queue],
    ['contact', contact],
    ['parent', parent],
    ['owner', owner],
    ['status', status],
    ['kind', kind],
    ['ended', ended === undefined ? undefined : Number(ended)],
    ['definition', definition?.name],
    ['version', definition?.version],
  ];
  const given = all.filter(([, value]) => value !== undefined);
  const names = given.map(([column]) => column);
  const [first = '', second] = names;
  // Records with open questions are few, so their index is enough.
  const isAsking = asks === true && !['queue', 'contact', 'parent'].includes(first);
  const indexed = isAsking
    ? 0
    : first === 'kind' && second === 'ended'
      ? 2
      : indexedColumns.includes(first)
        ? 1
        : 0;
  const conditions = names.map(
    (name, index) => `${index < indexed ? '' : '+'}${name} = ${parameter}`,
  );
  if (asks !== undefined) conditions.push(asks ? 'questions > 0' : 'questions = 0');
  const values = given.map(([, value]) => value);
  if (actedSince !== undefined) {
    conditions.push(`acted_at >= ${parameter}`);
    values.push(actedSince);
  }
  // Few records have recent acts, and a list by age would read all records.
  const index = actedSince !== undefined && first === 'kind' ? 'INDEXED BY records_by_act' : '';
  const time = queue === undefined ? 'created_at' : 'queued_at';
  const after = afterCursor.replace('created_at', time);
  const sql = `SELECT ${recordColumns} FROM records ${index}
    WHERE ${[...conditions, 'damage IS NULL', after].join(' AND ')}
    ORDER BY ${time}, id LIMIT ${parameter}`;
  return { sql, values };
}

/** Counts with an index alone: the index of records in progress is the smallest. */
function countQuery(filter: CountFilter): Query {
  const { queue, kind, ended }: RecordFilter = filter;
  const given: [string, unknown][] = [];
  if (queue !== undefined) given.push(['queue', queue]);
  if (kind !== undefined) given.push(['kind', kind]);
  const conditions = given.map(([name]) => `${name} = ${parameter}`);
  if (ended !== undefined) conditions.push(ended ? 'ended = 1' : 'ended = 0');
  const index = ended === false ? 'INDEXED BY records_in_progress' : '';
  return {
    sql: `SELECT count(*) AS count FROM records ${index} WHERE ${conditions.join(' AND ') || 'true'}`,
    values: given.map(([, value]) => value),
  };
}
