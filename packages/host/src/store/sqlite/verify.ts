import type { Database } from 'better-sqlite3';
import type { DamagedRecord, Verification } from '../contract.ts';
import type { LineTexts } from '../write.ts';
import { RecordDamageError } from '../record-damage-error.ts';
import { recordColumns, type RecordRow } from './rows.ts';
import { isCorrupt } from './sqlite-errors.ts';
import { SqliteTables } from './tables.ts';
import { locationOf } from './writer.ts';

/** The number of records, and of lines, that are read before other work gets its turn. */
const recordsPerSlice = 50;
const linesPerSlice = 500;

/** Every index of `records`: how a row is found through it, and whether it contains the row. */
const indexes: readonly (readonly [string, string, (row: RecordRow) => boolean])[] = [
  ['records_by_age', '', () => true],
  ['records_by_contact', 'contact = @contact AND', (row) => row.contact !== null],
  ['records_by_parent', 'parent = @parent AND', (row) => row.parent !== null],
  ['records_by_status', 'status = @status AND', () => true],
  ['records_by_kind', 'kind = @kind AND ended = @ended AND', () => true],
  ['records_in_progress', 'kind = @kind AND ended = 0 AND', (row) => row.ended === 0],
  ['records_with_letters', 'waiting = 1 AND', (row) => row.waiting === 1],
  ['records_with_questions', 'questions > 0 AND', (row) => row.questions > 0],
  [
    'records_by_queue',
    'queue = @queue AND queued_at = @queued_at AND',
    (row) => row.queue !== null,
  ],
  ['records_by_owner', 'owner = @owner AND', (row) => row.owner !== null],
  ['records_by_act', 'acted_at = @acted_at AND', (row) => row.acted_at !== null],
  ['records_by_due', 'due_at = @due_at AND', (row) => row.due_at !== null],
];

/** Indexes that are not sorted by the time of creation. */
const withoutAge: readonly string[] = ['records_by_due', 'records_by_queue', 'records_by_act'];

/**
 * Reads everything in slices: all checksums, the lines without a gap, each record through each index, and rows that
 * belong to no record.
 *
 * @param pause called between slices, with the number of records that were read and of all records
 */
export async function verifyDatabase(
  database: Database,
  path: string,
  pause: (done: number, all: number) => Promise<void>,
): Promise<Verification> {
  return new Verifying(database, path, pause).run();
}

class Verifying {
  readonly #tables: SqliteTables;
  readonly #where: string;
  readonly #statements;
  readonly #pause: (done: number, all: number) => Promise<void>;
  readonly #damaged: DamagedRecord[] = [];
  readonly #all: number;
  #done = 0;
  #records = 0;
  #lines = 0;

  constructor(
    database: Database,
    path: string,
    pause: (done: number, all: number) => Promise<void>,
  ) {
    this.#tables = new SqliteTables(database, path, {
      onDamage: (damage) => this.#report(damage),
      yield: () => pause(this.#done, this.#all),
    });
    this.#where = locationOf(path);
    this.#statements = statementsFor(database);
    this.#pause = pause;
    this.#all = this.#statements.count.get() as number;
  }

  async run(): Promise<Verification> {
    try {
      let last = 0;
      for (;;) {
        const rows = this.#statements.slice.all(last) as RecordRow[];
        for (const row of rows) await this.#verifyRecord(row);
        const end = rows.length < recordsPerSlice ? Number.MAX_SAFE_INTEGER : rows.at(-1)!.number;
        this.#findOrphans(last, end);
        if (end === Number.MAX_SAFE_INTEGER) break;
        last = end;
        await this.#pause(this.#done, this.#all);
      }
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      const reason = 'A page of the database cannot be read. What follows it was not verified.';
      this.#damaged.push({ reason, where: this.#where });
    }
    await this.#pause(this.#done, this.#all);
    return { records: this.#records, lines: this.#lines, damaged: this.#damaged };
  }

  async #verifyRecord(row: RecordRow): Promise<void> {
    const { id, damage } = row;
    this.#done += 1;
    if (damage !== null) {
      this.#damaged.push({ id, reason: damage, where: this.#where });
      return;
    }
    try {
      if (this.#tables.record(id) === undefined) {
        throw new RecordDamageError(id, 'The index of ids does not have it.');
      }
      this.#verifyIndexes(row);
      const counts = [
        await this.#verifyLines(row, 'journal', row.journal_length),
        await this.#verifyLines(row, 'transcript', row.transcript_length),
      ];
      this.#records += 1;
      this.#lines += counts[0]! + counts[1]!;
    } catch (error) {
      if (!(error instanceof RecordDamageError)) throw error;
      // It may have been deleted since the slice was read.
      if (this.#statements.exists.get(row.number) !== undefined) this.#report(error);
    }
  }

  #verifyIndexes(row: RecordRow): void {
    for (const { name, has, find } of this.#statements.indexes) {
      if (has(row) && find.get(row) === undefined) {
        throw new RecordDamageError(row.id, `The index "${name}" does not have it.`);
      }
    }
  }

  async #verifyLines(row: RecordRow, kind: keyof LineTexts, length: number): Promise<number> {
    for (let from = 0; from < length; from += linesPerSlice) {
      const limit = Math.min(linesPerSlice, length - from);
      const lines = this.#tables.lines(row.id, kind, { from, limit });
      if (lines?.length !== limit) {
        throw new RecordDamageError(row.id, `Lines of its ${kind} are missing.`);
      }
      if (from + limit < length) await this.#pause(this.#done, this.#all);
    }
    return length;
  }

  /** Finds rows of records that do not exist and were not deleted. */
  #findOrphans(after: number, end: number): void {
    for (const { table, find } of this.#statements.orphans) {
      const record = find.get(after, end) as number | undefined;
      if (record === undefined) continue;
      const reason = `The table "${table}" has rows of the record number ${record}, which does not exist.`;
      this.#damaged.push({ reason, where: this.#where });
    }
  }

  #report({ id, message: reason }: RecordDamageError): void {
    this.#damaged.push({ id, reason, where: this.#where });
  }
}

function statementsFor(database: Database) {
  return {
    count: database.prepare('SELECT count(*) FROM records').pluck(),
    slice: database.prepare(
      `SELECT ${recordColumns} FROM records NOT INDEXED WHERE number > ? ORDER BY number LIMIT ${recordsPerSlice}`,
    ),
    exists: database.prepare('SELECT 1 FROM records WHERE number = ?'),
    indexes: indexes.map(([name, condition, has]) => ({
      name,
      has,
      find: database.prepare(
        `SELECT 1 FROM records INDEXED BY ${name}
         WHERE ${condition} ${withoutAge.includes(name) ? '' : 'created_at = @created_at AND id = @id AND'} number = @number`,
      ),
    })),
    orphans: ['snapshots', 'parts', 'letters', 'lines'].map((table) => ({
      table,
      find: database
        .prepare(
          `SELECT record FROM ${table} WHERE record > ? AND record <= ?
             AND record NOT IN (SELECT number FROM records)
             AND record NOT IN (SELECT record FROM deletions) LIMIT 1`,
        )
        .pluck(),
    })),
  };
}
