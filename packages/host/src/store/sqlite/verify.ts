import type { Database } from 'better-sqlite3';
import type { Verification } from '../contract.ts';
import { RecordDamageError } from '../record-damage-error.ts';
import { pieceTables, recordsPerSlice, verifyTables } from '../verify-tables.ts';
import { recordColumns, type RecordRow } from './rows.ts';
import { isCorrupt } from './sqlite-errors.ts';
import { SqliteTables } from './tables.ts';
import { locationOf } from './writer.ts';

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

/** @param pause called between slices, with the number of records that were read and of all records */
export function verifyDatabase(
  database: Database,
  path: string,
  pause: (done: number, all: number) => Promise<void>,
): Promise<Verification> {
  const count = database.prepare('SELECT count(*) FROM records').pluck();
  const slice = database.prepare(
    `SELECT ${recordColumns} FROM records NOT INDEXED WHERE number > ? ORDER BY number LIMIT ${recordsPerSlice}`,
  );
  const existing = database.prepare('SELECT 1 FROM records WHERE number = ?');
  const inIndexes = indexes.map(([name, condition, has]) => ({
    name,
    has,
    find: database.prepare(
      `SELECT 1 FROM records INDEXED BY ${name}
       WHERE ${condition} ${withoutAge.includes(name) ? '' : 'created_at = @created_at AND id = @id AND'} number = @number`,
    ),
  }));
  const orphans = pieceTables.map((table) =>
    database.prepare(
      `SELECT '${table}' AS "table", record FROM ${table} WHERE record > ? AND record <= ?
         AND record NOT IN (SELECT number FROM records)
         AND record NOT IN (SELECT record FROM deletions) LIMIT 1`,
    ),
  );
  return verifyTables<RecordRow>(
    {
      // Nothing is listed.
      records: new SqliteTables(database, path, { onDamage: () => {}, yield: async () => {} }),
      where: locationOf(path),
      count: () => count.get() as number,
      slice: (after) => slice.all(after) as RecordRow[],
      exists: (number) => existing.get(number) !== undefined,
      checkIndexes: (row) => {
        for (const { name, has, find } of inIndexes)
          if (has(row) && find.get(row) === undefined)
            throw new RecordDamageError(row.id, `The index "${name}" does not have it.`);
      },
      orphans: (after, upTo) =>
        orphans.flatMap((find) => find.all(after, upTo) as { table: string; record: number }[]),
      isCorrupt,
    },
    pause,
  );
}
