import type { StoreError } from '@dramaturg/host';
import {
  badRequest,
  checkedLimit,
  checkedTime,
  type CountFilter,
  damagedRecord,
  dueIn,
  type DueTimer,
  type FeedEntry,
  type FeedPage,
  type FeedRequest,
  type LineRange,
  linesIn,
  type LineTexts,
  outboxIn,
  pieceTables,
  type Page,
  type PageRequest,
  partsIn,
  type PieceColumns,
  quoted,
  type RecordDamageError,
  recordsPerSlice,
  type RecordFilter,
  type RecordSummary,
  snapshotIn,
  type StoreRecord,
  summariesIn,
  summaryIn,
  TableReader,
  type Tables,
  type Verification,
  verifyTables,
} from '@dramaturg/host/store';
import type { Database, Row, Value } from '../connection/database.ts';
import {
  checkRecord,
  nameOf,
  recordColumns,
  recordRow,
  type RecordRow,
  storedName,
  sumOfLines,
  sumOfPart,
} from '../rows.ts';
import type { Json } from '@dramaturg/compiler';

/** A store that is open for reading. */
export class OpenPostgresReader extends TableReader {
  protected readonly database: Database;
  protected readonly records: PostgresTables;

  constructor(database: Database) {
    super(tableOf(database));
    this.database = database;
    this.records = new PostgresTables(database, this.where, (damage) => void this.setAside(damage));
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyStore(this.database, this.where, (done, all) => {
        onProgress?.(done, all);
        this.checkOpen();
      });
    } catch (error) {
      throw this.failure(error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    try {
      const [found] = await this.database.scan<{ size: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS size
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [this.database.place.schema],
      );
      return found!.size;
    } catch (error) {
      throw this.failure(error);
    }
  }

  protected async closeNow(): Promise<void> {
    await this.database.close();
  }

  protected failure(error: unknown): StoreError {
    return this.database.failure('Reading the store', error);
  }
}

/** The table of damaged records, which stay in their rows. */
function tableOf({ place: { label } }: Database): string {
  return `the table "records" of ${label}`;
}

interface ListedRow extends Row {
  readonly number: number;
  readonly id: string;
  readonly damage: string | null;
}

/** @param onProgress called between slices, with the number of records read and of all records */
function verifyStore(
  database: Database,
  where: string,
  onProgress: (done: number, all: number) => void,
): Promise<Verification> {
  return verifyTables<ListedRow>(
    {
      records: new PostgresTables(database, where, () => {}),
      where,
      count: async () => {
        const [found] = await database.scan<{ all: number }>(
          'SELECT count(*) AS all FROM {schema}.records',
        );
        return found!.all;
      },
      slice: async (after) => {
        const rows = await database.scan<ListedRow>(
          `SELECT number, id, damage FROM {schema}.records WHERE number > $1 ORDER BY number LIMIT ${recordsPerSlice}`,
          [after],
        );
        return rows.map((row) => ({ ...row, id: nameOf(row.id) }));
      },
      exists: async (number) => {
        const found = await database.scan('SELECT 1 FROM {schema}.records WHERE number = $1', [
          number,
        ]);
        return found.length > 0;
      },
      checkIndexes: () => {},
      // A record and its other rows are deleted together.
      orphans: (after, upTo) =>
        database.scan<{ table: string; record: number }>(
          pieceTables
            .map(
              (table) =>
                `(SELECT '${table}' AS table, record FROM {schema}.${table} t WHERE record > $1::bigint AND record <= $2::bigint
                  AND NOT EXISTS (SELECT 1 FROM {schema}.records WHERE number = t.record) LIMIT 1)`,
            )
            .join(' UNION ALL '),
          [after, upTo],
        ),
      isCorrupt: () => false,
    },
    onProgress,
  );
}

/** One row of any table of a record. */
interface PieceRow extends Row, PieceColumns {
  readonly piece: 'record' | 'snapshot' | 'part' | 'letter' | 'lines';
}

/** The position of a record in lists. Records that were created at the same time are in the order of the calls. */
interface Position {
  readonly createdAt: number;
  readonly number: number;
}

/** Reads the tables. Each read is one statement, and so sees the store at one instant. */
class PostgresTables implements Tables {
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

  async record(id: string): Promise<StoreRecord | undefined> {
    const found = await this.#pieces(
      id,
      `UNION ALL SELECT 'snapshot', 0, NULL, s.sum, s.text FROM found JOIN {schema}.snapshots s ON s.record = found.number
       UNION ALL SELECT 'part', p.place, p.key, p.sum, p.text FROM found JOIN {schema}.parts p ON p.record = found.number
       UNION ALL SELECT 'letter', l.place, l.id, l.sum, l.text FROM found JOIN {schema}.letters l ON l.record = found.number`,
    );
    if (found === undefined) return undefined;
    const { row, rest } = found;
    const pieces = (wanted: PieceRow['piece']) =>
      rest
        .filter(({ piece }) => piece === wanted)
        .map((piece) => ({ ...piece, name: nameOf(piece.name) }));
    return {
      ...summaryIn(row),
      snapshot: snapshotIn(
        row,
        rest.find(({ piece }) => piece === 'snapshot'),
      ),
      parts: partsIn(row, pieces('part'), ({ place, name, text }) =>
        sumOfPart(row.number, place, name, text),
      ),
      outbox: outboxIn(row, pieces('letter')),
    };
  }

  async lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[] | undefined> {
    const { from, limit } = range;
    // The row that contains the first line may begin before the range.
    const found = await this.#pieces(
      id,
      `UNION ALL SELECT 'lines', l.first, NULL, l.sum, l.text FROM found JOIN {schema}.lines l ON l.record = found.number
       WHERE l.kind = $2 AND l.first < $4::bigint AND l.first >= coalesce(
         (SELECT max(first) FROM {schema}.lines WHERE record = found.number AND kind = $2 AND first <= $3::bigint), 0)`,
      [kind, from, from + limit],
    );
    if (found === undefined) return undefined;
    const { row, rest } = found;
    return linesIn(row, kind, range, rest, ({ place, text }) =>
      sumOfLines(row.number, kind, place, text),
    );
  }

  async due(before: number, limit: number): Promise<DueTimer[]> {
    // At most `limit` records, in the order of their earliest timers, are enough.
    const rows = await this.#database.read<RecordRow & Row>(
      `SELECT ${recordColumns} FROM {schema}.records
       WHERE due_at <= $1 AND damage IS NULL ORDER BY due_at, number LIMIT $2`,
      [before, limit],
    );
    return dueIn(this.#summaries(rows), before, limit);
  }

  async pending(request: PageRequest): Promise<Page<string>> {
    const { after, limit } = checkedPage(request);
    const rows = await this.#database.read<RecordRow & Row>(
      `SELECT id, number, created_at FROM {schema}.records
       WHERE number IN (SELECT record FROM {schema}.letters) AND damage IS NULL AND ${afterPosition(1)}
       ORDER BY created_at, number LIMIT $3`,
      [...positionValues(after), limit + 1],
    );
    const { page, next } = pageOf(rows, limit);
    return { items: page.map(({ id }) => nameOf(id)), ...next };
  }

  async list(filter: RecordFilter, request: PageRequest): Promise<Page<RecordSummary>> {
    const { after, limit } = checkedPage(request);
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

  /** Reads the feed with one statement, and so at one instant. */
  async feed({ after, limit, contact }: FeedRequest): Promise<FeedPage> {
    const ofContact = contact === undefined ? '' : 'AND r.contact = $3';
    const rows = await this.#database.read<EntryRow>(
      `SELECT feed, last_position AS last, entry.*
       FROM {schema}.progress LEFT JOIN (
         SELECT l.position, r.id, r.kind, l.first AS "from", l.count AS lines
         FROM {schema}.lines l JOIN {schema}.records r ON r.number = l.record
         WHERE l.kind = 'journal' AND l.position > $1::bigint AND r.damage IS NULL ${ofContact}
         ORDER BY l.position LIMIT $2::bigint
       ) entry ON true ORDER BY position`,
      [after, limit, ...(contact === undefined ? [] : [storedName(contact)])],
    );
    const entries = rows.flatMap(({ position, id, kind, from, lines }): FeedEntry[] =>
      position === null ? [] : [{ position, id: nameOf(id), kind: nameOf(kind), from, lines }],
    );
    return { feed: rows[0]!.feed, last: rows[0]!.last, entries };
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

  #summaries(rows: readonly RecordRow[]): RecordSummary[] {
    return summariesIn(rows, (stored) => checkRecord(recordRow(stored)), this.#onDamage);
  }
}

interface EntryRow extends Row {
  readonly feed: string;
  readonly last: number;
  /** Null in the single row of an empty page. */
  readonly position: number | null;
  readonly id: string;
  readonly kind: string;
  readonly from: number;
  readonly lines: number;
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

function checkedPage({ after, limit }: PageRequest): {
  readonly after: Position | undefined;
  readonly limit: number;
} {
  checkedLimit(limit);
  if (after === undefined) return { after, limit };
  try {
    const [createdAt, number] = JSON.parse(after) as unknown[];
    if (!Number.isSafeInteger(number)) throw badRequest('The number is not an integer.');
    return {
      after: { createdAt: checkedTime(createdAt, 'time'), number: number as number },
      limit,
    };
  } catch (cause) {
    throw badRequest(`${quoted(after)} is not a cursor of this list.`, cause);
  }
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
