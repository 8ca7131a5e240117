import type { Database, Statement } from 'better-sqlite3';
import type { Json } from '@dramaturg/compiler';
import { toCursor, type ListPosition } from '../check.ts';
import type {
  CountFilter,
  DueTimer,
  Letter,
  LineRange,
  Page,
  Part,
  RecordFilter,
  RecordSummary,
  StoreRecord,
  Timer,
} from '../contract.ts';
import type { LineTexts } from '../write.ts';
import { damagedRecord } from '../errors.ts';
import { attentionIn } from '../attention.ts';
import { questionsField } from '../record-state.ts';
import { checkSum, RecordDamageError } from '../record-damage-error.ts';
import { isCorrupt } from './sqlite-errors.ts';
import {
  checkRecord,
  checkTexts,
  type LinesRow,
  recordColumns,
  type RecordRow,
  sumOfLetter,
  sumOfLines,
  sumOfPart,
  sumOfSnapshot,
} from './rows.ts';
import { afterCursor, countQuery, listQuery, parameter } from './queries.ts';
import { locationOf } from './writer.ts';

interface StoredText {
  readonly sum: number | null;
  readonly text: string;
}

/** The journal lines or the transcript lines of one write. */
type StoredLines = StoredText & LinesRow;

interface PartRow extends StoredText {
  readonly key: string;
}

interface LetterRow extends StoredText {
  readonly id: string;
  readonly place: number;
}

/** Reads the tables. It keeps no record in memory. */
export class Reader {
  readonly #database: Database;
  readonly #path: string;
  readonly #statements;
  /** Prepared list statements by their SQL: one for each combination of filter fields. */
  readonly #lists = new Map<string, Statement>();

  readonly #onDamage: (damage: RecordDamageError) => void;

  /** @param onDamage called for a record that a list omits because it is damaged */
  constructor(database: Database, path: string, onDamage: (damage: RecordDamageError) => void) {
    this.#database = database;
    this.#path = path;
    this.#onDamage = onDamage;
    this.#statements = statementsFor(database);
  }

  damaged(): { readonly id: string; readonly reason: string }[] {
    return this.#statements.damaged.all() as { readonly id: string; readonly reason: string }[];
  }

  /** @throws `RecordDamageError` */
  record(id: string): StoreRecord | undefined {
    return withDamageError(id, () => {
      const row = this.#row(id);
      if (row === undefined) return undefined;
      const snapshot = this.#statements.snapshot.get(row.number) as StoredText | undefined;
      if (snapshot === undefined) throw new RecordDamageError(id, 'Its snapshot is missing.');
      const { sum, text } = snapshot;
      checkSum(id, sum, () => sumOfSnapshot(row.number, text), 'snapshot');
      return {
        ...toSummary(row),
        snapshot: parseValue(id, text, 'snapshot'),
        parts: this.#parts(row),
        outbox: this.#outbox(row),
      };
    });
  }

  #parts({ id, number, part_count: count }: RecordRow): Part[] {
    const parts = this.#statements.parts.all(number) as PartRow[];
    if (parts.length !== count) {
      throw new RecordDamageError(id, `It has ${parts.length} parts of ${count}.`);
    }
    return parts.map(({ key, sum, text }) => {
      checkSum(id, sum, () => sumOfPart(number, key, text), `part "${key}"`);
      checkTexts(id, [key], 'row of a part');
      return { key, value: parseValue(id, text, `part "${key}"`) };
    });
  }

  #outbox({ id, number, letter_count: count }: RecordRow): Letter[] {
    const letters = this.#statements.letters.all(number) as LetterRow[];
    if (letters.length !== count) {
      throw new RecordDamageError(id, `It has ${letters.length} letters of ${count}.`);
    }
    return letters.map(({ id: letter, place, sum, text }) => {
      checkSum(id, sum, () => sumOfLetter(number, letter, place, text), `letter "${letter}"`);
      checkTexts(id, [letter], 'row of a letter');
      return { id: letter, body: parseValue(id, text, `letter "${letter}"`) };
    });
  }

  /**
   * @returns undefined when there is no record
   * @throws `RecordDamageError`
   */
  lines(id: string, kind: keyof LineTexts, { from, limit }: LineRange): Json[] | undefined {
    return withDamageError(id, () => {
      const row = this.#row(id);
      if (row === undefined) return undefined;
      const { number: record } = row;
      const length = kind === 'journal' ? row.journal_length : row.transcript_length;
      // The row with the first line of the range may begin before it.
      const start = (this.#statements.firstBefore.get(record, kind, from) ?? 0) as number;
      const found = this.#statements.lines.all(record, kind, from + limit, start) as StoredLines[];
      const lines: Json[] = [];
      for (const stored of found) {
        if (stored.first !== start + lines.length) break;
        for (const line of parseLines(row, stored)) lines.push(line);
      }
      if (start + lines.length < Math.min(from + limit, length)) {
        throw new RecordDamageError(id, `Lines of its ${kind} are missing.`);
      }
      return lines.slice(from - start, from - start + limit);
    });
  }

  #row(id: string): RecordRow | undefined {
    const row = this.#statements.record.get(id) as RecordRow | undefined;
    if (row !== undefined && row.damage !== null) {
      throw damagedRecord(id, row.damage, locationOf(this.#path));
    }
    return row && checkRecord(row);
  }

  /** Lists due timers. Reads at most `limit` records, in the order of their earliest timers, which is enough. */
  due(before: number, limit: number): DueTimer[] {
    const rows = this.#statements.due.all(before, limit) as RecordRow[];
    return this.#summaries(rows)
      .flatMap(({ id, timers }) => timers.map(({ key, at }) => ({ id, key, at })))
      .filter(({ at }) => at <= before)
      .toSorted((one, other) => one.at - other.at)
      .slice(0, limit);
  }

  /** Omits damaged records. */
  #summaries(rows: readonly RecordRow[]): RecordSummary[] {
    return rows.flatMap((row) => {
      try {
        return [toSummary(checkRecord(row))];
      } catch (error) {
        if (!(error instanceof RecordDamageError)) throw error;
        this.#onDamage(error);
        return [];
      }
    });
  }

  pending(after: ListPosition | undefined, limit: number): Page<string> {
    const { page, nextOf } = pageOf(
      (count) => this.#statements.pending.all(...cursorValues(after), count) as ListPosition[],
      limit,
    );
    return { items: page.map(({ id }) => id), ...nextOf(page.at(-1)) };
  }

  list(filter: RecordFilter, after: ListPosition | undefined, limit: number): Page<RecordSummary> {
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

function toSummary(row: RecordRow): RecordSummary {
  const { contact, parent, definition, version } = row;
  return {
    id: row.id,
    kind: row.kind,
    ...(contact === null ? {} : { contact }),
    ...(parent === null ? {} : { parent }),
    ...(definition === null || version === null
      ? {}
      : { definition: { name: definition, version } }),
    createdAt: row.created_at,
    status: row.status,
    ended: row.ended === 1,
    revision: row.revision,
    updatedAt: row.updated_at,
    timers: parseTimers(row),
    ...questionsField(row.questions),
    ...attentionIn(row),
    journalLength: row.journal_length,
    transcriptLength: row.transcript_length,
  };
}

function parseTimers({ id, timers }: Pick<RecordRow, 'id' | 'timers'>): Timer[] {
  try {
    return timers === '[]' ? [] : JSON.parse(timers);
  } catch (cause) {
    throw new RecordDamageError(id, 'Its timers are not JSON.', { cause });
  }
}

function parseLines({ id }: RecordRow, stored: StoredLines): Json[] {
  const what = `row of its ${stored.kind} from line ${stored.first}`;
  checkSum(id, stored.sum, () => sumOfLines(stored), what);
  const lines = parseValue(id, stored.text, what);
  if (!Array.isArray(lines)) throw new RecordDamageError(id, `The ${what} is not an array.`);
  return lines;
}

function parseValue(id: string, text: string, what: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecordDamageError(id, `The ${what} is not JSON.`, { cause });
  }
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
    parts: database.prepare('SELECT key, sum, text FROM parts WHERE record = ? ORDER BY key'),
    letters: database.prepare(
      'SELECT id, place, sum, body AS text FROM letters WHERE record = ? ORDER BY place',
    ),
    lines: database.prepare(
      `SELECT position, record, kind, first, count, sum, text FROM lines
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
  };
}
