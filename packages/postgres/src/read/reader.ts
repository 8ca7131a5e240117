import type { Json } from '@dramaturg/compiler';
import {
  attentionIn,
  checkSum,
  damagedRecord,
  type LineTexts,
  questionsField,
  RecordDamageError,
} from '@dramaturg/host/store';
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
} from '@dramaturg/host/store';
import type { Database, Row, Value } from '../connection/database.ts';
import { nameOf, storedName } from '../names.ts';
import {
  checkRecord,
  recordColumns,
  recordRow,
  type RecordRow,
  sumOfLetter,
  sumOfLines,
  sumOfPart,
  sumOfSnapshot,
} from '../rows.ts';

/** One row of any table of a record. */
interface PieceRow extends Row {
  readonly piece: 'record' | 'snapshot' | 'part' | 'letter' | 'lines';
  readonly place: number;
  readonly name: string | null;
  readonly sum: number | null;
  readonly text: string;
}

/** The position of a record in lists. Records that were created at the same time are in the order of the calls. */
export interface Position {
  readonly createdAt: number;
  readonly number: number;
}

/** Reads the tables. Each read is one statement, and so sees the store at one instant. */
export class Reader {
  readonly #database: Database;
  readonly #where: string;
  readonly #onDamage: (damage: RecordDamageError) => void;

  /**
   * @param where the table, for messages about damaged records
   * @param onDamage called for a record that a list omits because it is damaged
   */
  constructor(database: Database, where: string, onDamage: (damage: RecordDamageError) => void) {
    this.#database = database;
    this.#where = where;
    this.#onDamage = onDamage;
  }
  async damaged(): Promise<{ readonly id: string; readonly reason: string }[]> {
    const rows = await this.#database.read<{ id: string; reason: string }>(
      'SELECT id, damage AS reason FROM {schema}.records WHERE damage IS NOT NULL ORDER BY number',
    );
    return rows.map(({ id, reason }) => ({ id: nameOf(id), reason }));
  }

  /** @throws `RecordDamageError` */
  async record(id: string): Promise<StoreRecord | undefined> {
    const pieces = await this.#pieces(
      id,
      `UNION ALL SELECT 'snapshot', 0, NULL, s.sum, s.text FROM found JOIN {schema}.snapshots s ON s.record = found.number
       UNION ALL SELECT 'part', p.place, p.key, p.sum, p.text FROM found JOIN {schema}.parts p ON p.record = found.number
       UNION ALL SELECT 'letter', l.place, l.id, l.sum, l.text FROM found JOIN {schema}.letters l ON l.record = found.number`,
    );
    if (pieces === undefined) return undefined;
    const { row, rest } = pieces;
    const snapshot = rest.find(({ piece }) => piece === 'snapshot');
    if (snapshot === undefined) throw new RecordDamageError(id, 'Its snapshot is missing.');
    checkSum(id, snapshot.sum, () => sumOfSnapshot(row.number, snapshot.text), 'snapshot');
    return {
      ...summaryOf(row),
      snapshot: parsed(id, snapshot.text, 'snapshot'),
      parts: partsIn(row, rest),
      outbox: outboxIn(row, rest),
    };
  }

  /**
   * @returns undefined when there is no record
   * @throws `RecordDamageError`
   */
  async lines(
    id: string,
    kind: keyof LineTexts,
    { from, limit }: LineRange,
  ): Promise<Json[] | undefined> {
    // The row that contains the first line may begin before the range.
    const pieces = await this.#pieces(
      id,
      `UNION ALL SELECT 'lines', l.first, NULL, l.sum, l.text FROM found JOIN {schema}.lines l ON l.record = found.number
       WHERE l.kind = $2 AND l.first < $4::bigint AND l.first >= coalesce(
         (SELECT max(first) FROM {schema}.lines WHERE record = found.number AND kind = $2 AND first <= $3::bigint), 0)`,
      [kind, from, from + limit],
    );
    if (pieces === undefined) return undefined;
    const { row, rest } = pieces;
    const length = kind === 'journal' ? row.journal_length : row.transcript_length;
    const start = rest[0]?.place ?? 0;
    const lines: Json[] = [];
    for (const stored of rest) {
      if (stored.place !== start + lines.length) break;
      for (const line of linesIn(row, kind, stored)) lines.push(line);
    }
    if (start > from || start + lines.length < Math.min(from + limit, length)) {
      if (from < length) throw new RecordDamageError(id, `Lines of its ${kind} are missing.`);
      return [];
    }
    return lines.slice(from - start, from - start + limit);
  }

  async due(before: number, limit: number): Promise<DueTimer[]> {
    // At most `limit` records, in the order of their earliest timers, are enough.
    const rows = await this.#database.read<RecordRow & Row>(
      `SELECT ${recordColumns} FROM {schema}.records
       WHERE due_at <= $1 AND damage IS NULL ORDER BY due_at, number LIMIT $2`,
      [before, limit],
    );
    return this.#summaries(rows)
      .flatMap(({ id, timers }) => timers.map(({ key, at }) => ({ id, key, at })))
      .filter(({ at }) => at <= before)
      .toSorted((one, other) => one.at - other.at)
      .slice(0, limit);
  }

  async pending(after: Position | undefined, limit: number): Promise<Page<string>> {
    const rows = await this.#database.read<RecordRow & Row>(
      `SELECT id, number, created_at FROM {schema}.records
       WHERE number IN (SELECT record FROM {schema}.letters) AND damage IS NULL AND ${afterPosition(1)}
       ORDER BY created_at, number LIMIT $3`,
      [...positionValues(after), limit + 1],
    );
    const { page, next } = pageOf(rows, limit);
    return { items: page.map(({ id }) => nameOf(id)), ...next };
  }

  async list(
    filter: RecordFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page<RecordSummary>> {
    const { conditions, values } = conditionsOf(filter);
    const count = values.length;
    const time = filter.queue === undefined ? 'created_at' : 'queued_at';
    const rows = await this.#database.read<RecordRow & Row>(
      `SELECT ${recordColumns} FROM {schema}.records
       WHERE ${[...conditions, 'damage IS NULL', afterPosition(count + 1, time)].join(' AND ')}
       ORDER BY ${time}, number LIMIT $${count + 3}`,
      [...values, ...positionValues(after), limit + 1],
    );
    const { page, next } = pageOf(rows, limit, time);
    return { items: this.#summaries(page), ...next };
  }

  async count({ kind, ...filter }: RecordFilter & CountFilter): Promise<number> {
    const { conditions, values } = conditionsOf(filter);
    if (kind === 'instance') conditions.push("kind = 'instance'");
    else if (kind !== undefined) {
      values.push(storedName(kind));
      conditions.push(`kind = $${values.length}::text`);
    }
    const [found] = await this.#database.read<{ count: number }>(
      `SELECT count(*)::bigint AS count FROM {schema}.records WHERE ${conditions.join(' AND ') || 'true'}`,
      values,
    );
    return found!.count;
  }

  /** @param more selects further rows of the record `found` */
  async #pieces(id: string, more: string, values: readonly Value[] = []) {
    const rows = await this.#database.read<PieceRow>(
      `WITH found AS MATERIALIZED (SELECT * FROM {schema}.records WHERE id = $1)
       SELECT 'record' AS piece, 0::bigint AS place, NULL AS name, NULL::bigint AS sum, row_to_json(found)::text AS text
       FROM found ${more}`,
      [storedName(id), ...values],
    );
    const first = rows.find(({ piece }) => piece === 'record');
    if (first === undefined) return undefined;
    const row = recordRow(JSON.parse(first.text));
    if (row.damage !== null) throw damagedRecord(id, row.damage, this.#where);
    const rest = rows
      .filter((each) => each !== first)
      .toSorted((one, other) => one.place - other.place);
    return { row: checkRecord(row), rest };
  }

  /** Omits damaged records. */
  #summaries(rows: readonly RecordRow[]): RecordSummary[] {
    return rows.flatMap((stored) => {
      try {
        return [summaryOf(checkRecord(recordRow(stored)))];
      } catch (error) {
        if (!(error instanceof RecordDamageError)) throw error;
        this.#onDamage(error);
        return [];
      }
    });
  }
}

/** Names are looked up by an index of their hashes, and then compared in full. */
function conditionsOf(filter: RecordFilter): { conditions: string[]; values: Value[] } {
  const { kind, contact, parent, status, ended, asks, queue, owner, actedSince, definition } =
    filter;
  const conditions: string[] = [];
  const values: Value[] = [];
  const equals = (column: string, name: string | undefined, isHashed = false) => {
    if (name === undefined) return;
    values.push(storedName(name));
    const value = `$${values.length}::text`;
    conditions.push(`${column} = ${value}`);
    if (isHashed) conditions.push(`hashtextextended(${column}, 0) = hashtextextended(${value}, 0)`);
  };
  equals('kind', kind, true);
  equals('contact', contact);
  equals('parent', parent, true);
  equals('status', status);
  equals('queue', queue, true);
  equals('owner', owner, true);
  equals('definition', definition?.name, true);
  equals('version', definition?.version, true);
  if (actedSince !== undefined) {
    values.push(actedSince);
    conditions.push(`acted_at >= $${values.length}::double precision`);
  }
  if (ended !== undefined) conditions.push(ended ? 'ended' : 'NOT ended');
  if (asks !== undefined) conditions.push(asks ? 'questions > 0' : 'questions = 0');
  return { conditions, values };
}

/** The column that sorts a list. */
type ListTime = 'created_at' | 'queued_at';

/** @param first the number of the first of its two parameters */
function afterPosition(first: number, time: ListTime = 'created_at'): string {
  return `(${time}, number) > ($${first}::double precision, $${first + 1}::bigint)`;
}

function positionValues(after: Position | undefined): [number, number] {
  return after === undefined ? [Number.NEGATIVE_INFINITY, -1] : [after.createdAt, after.number];
}

/** @param found one row more than the page has, unless it is the last page */
function pageOf(found: readonly RecordRow[], limit: number, time: ListTime = 'created_at') {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasNext = found.length > limit && last !== undefined;
  return { page, next: hasNext ? { next: JSON.stringify([last[time], last.number]) } : {} };
}

function summaryOf(row: RecordRow): RecordSummary {
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
    ended: row.ended,
    revision: row.revision,
    updatedAt: row.updated_at,
    timers: timersIn(row),
    ...questionsField(row.questions),
    ...attentionIn(row),
    journalLength: row.journal_length,
    transcriptLength: row.transcript_length,
  };
}

function timersIn({ id, timers }: RecordRow): Timer[] {
  return timers === '[]' ? [] : (parsed(id, timers, 'list of its timers') as unknown as Timer[]);
}

function partsIn({ id, number, part_count: count }: RecordRow, rows: readonly PieceRow[]): Part[] {
  const parts = rows.filter(({ piece }) => piece === 'part');
  if (parts.length !== count)
    throw new RecordDamageError(id, `It has ${parts.length} parts of ${count}.`);
  return parts.map(({ place, name, sum, text }) => {
    const key = nameOf(name!);
    checkSum(id, sum, () => sumOfPart(number, place, key, text), `part "${key}"`);
    return { key, value: parsed(id, text, `part "${key}"`) };
  });
}

function outboxIn(
  { id, number, letter_count: count }: RecordRow,
  rows: readonly PieceRow[],
): Letter[] {
  const letters = rows.filter(({ piece }) => piece === 'letter');
  if (letters.length !== count)
    throw new RecordDamageError(id, `It has ${letters.length} letters of ${count}.`);
  return letters.map(({ place, name, sum, text }) => {
    const letter = nameOf(name!);
    checkSum(id, sum, () => sumOfLetter(number, place, letter, text), `letter "${letter}"`);
    return { id: letter, body: parsed(id, text, `letter "${letter}"`) };
  });
}

function linesIn(
  { id, number }: RecordRow,
  kind: keyof LineTexts,
  { place, sum, text }: PieceRow,
): Json[] {
  const what = `row of its ${kind} from line ${place}`;
  checkSum(id, sum, () => sumOfLines(number, kind, place, text), what);
  const lines = parsed(id, text, what);
  if (!Array.isArray(lines)) throw new RecordDamageError(id, `The ${what} is not an array.`);
  return lines;
}

function parsed(id: string, text: string, what: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecordDamageError(id, `The ${what} is not JSON.`, { cause });
  }
}
