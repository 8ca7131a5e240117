import type { StoreError } from '@dramaturg/host';
import {
  type DamagedRecord,
  type LineTexts,
  RecordDamageError,
  TableReader,
  type Verification,
} from '@dramaturg/host/store';
import type { Database, Row } from '../connection/database.ts';
import { nameOf } from '../rows.ts';
import { PostgresTables } from './tables.ts';

/** A store that is open for reading. */
export class OpenPostgresReader extends TableReader {
  protected readonly database: Database;
  protected readonly tables: PostgresTables;

  constructor(database: Database) {
    super(tableOf(database));
    this.database = database;
    this.tables = new PostgresTables(database, this.where, (damage) => void this.setAside(damage));
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

/** The number of records or lines that are read before other work gets its turn. */
const recordsPerSlice = 50;
const linesPerSlice = 500;

interface ListedRow extends Row {
  readonly number: number;
  readonly id: string;
  readonly damage: string | null;
}

/**
 * Checks a store in slices: checksums, gaps between lines, and rows without a record.
 *
 * @param onProgress called between slices, with the number of records read and of all records
 */
async function verifyStore(
  database: Database,
  where: string,
  onProgress: (done: number, all: number) => void,
): Promise<Verification> {
  const tables = new PostgresTables(database, where, () => {});
  const damaged: DamagedRecord[] = [];
  const [count] = await database.scan<{ all: number }>(
    'SELECT count(*) AS all FROM {schema}.records',
  );
  const { all } = count!;
  let [done, records, lines, last] = [0, 0, 0, 0];
  for (;;) {
    const slice = await database.scan<ListedRow>(
      `SELECT number, id, damage FROM {schema}.records WHERE number > $1 ORDER BY number LIMIT ${recordsPerSlice}`,
      [last],
    );
    for (const { id, number, damage } of slice) {
      done += 1;
      const found = await verifyRecord(tables, nameOf(id), damage);
      if (typeof found === 'number') {
        records += 1;
        lines += found;
      } else if (found !== undefined && (await exists(database, number)))
        damaged.push({ id: nameOf(id), reason: found.reason, where });
    }
    if (slice.length < recordsPerSlice) break;
    last = slice.at(-1)!.number;
    onProgress(Math.min(done, all), all);
  }
  for (const reason of await orphansIn(database)) damaged.push({ reason, where });
  onProgress(Math.min(done, all), all);
  return { records, lines, damaged };
}

/** @returns the number of its lines; undefined when it was deleted during the check */
async function verifyRecord(
  tables: PostgresTables,
  id: string,
  damage: string | null,
): Promise<number | { readonly reason: string } | undefined> {
  if (damage !== null) return { reason: damage };
  try {
    const record = await tables.record(id);
    if (record === undefined) return { reason: 'The index of ids does not have it.' };
    const { journalLength, transcriptLength } = record;
    await verifyLines(tables, id, 'journal', journalLength);
    await verifyLines(tables, id, 'transcript', transcriptLength);
    return journalLength + transcriptLength;
  } catch (error) {
    if (!(error instanceof RecordDamageError)) throw error;
    return { reason: error.message };
  }
}

async function verifyLines(
  tables: PostgresTables,
  id: string,
  kind: keyof LineTexts,
  length: number,
): Promise<void> {
  for (let from = 0; from < length; from += linesPerSlice) {
    const limit = Math.min(linesPerSlice, length - from);
    const lines = await tables.lines(id, kind, { from, limit });
    if (lines !== undefined && lines.length < limit)
      throw new RecordDamageError(id, `Lines of its ${kind} are missing.`);
  }
}

async function exists(database: Database, number: number): Promise<boolean> {
  const rows = await database.scan('SELECT 1 FROM {schema}.records WHERE number = $1', [number]);
  return rows.length > 0;
}

/** Finds rows of records that do not exist. A record and its other rows are deleted together, so there should be none. */
async function orphansIn(database: Database): Promise<string[]> {
  const rows = await database.scan<{ table: string; record: number }>(
    ['snapshots', 'parts', 'letters', 'lines']
      .map(
        (table) =>
          `(SELECT '${table}' AS table, record FROM {schema}.${table} t
            WHERE NOT EXISTS (SELECT 1 FROM {schema}.records WHERE number = t.record) LIMIT 1)`,
      )
      .join(' UNION ALL '),
  );
  return rows.map(
    ({ table, record }) =>
      `The table "${table}" has rows of the record number ${record}, which does not exist.`,
  );
}
