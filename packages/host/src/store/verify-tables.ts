import type { Awaitable, StoredRecords } from './checked-reader.ts';
import type { DamagedRecord, Verification } from './contract.ts';
import { RecordDamageError } from './record-damage-error.ts';
import type { LineTexts } from './write.ts';

/** The number of records, and of lines, that are read before other work gets its turn. */
export const recordsPerSlice = 50;
const linesPerSlice = 500;

/** The tables that belong to a record, besides `records`. */
export const pieceTables = ['snapshots', 'parts', 'letters', 'lines'] as const;

interface RowToVerify {
  readonly number: number;
  readonly id: string;
  readonly damage: string | null;
}

/** The tables of a SQL store, for their verification. */
export interface TablesToVerify<Row extends RowToVerify> {
  readonly records: StoredRecords;
  /** The place of damaged records, for messages. */
  readonly where: string;
  count(): Awaitable<number>;
  /** The rows of `records` after a number: `recordsPerSlice` of them, unless there are fewer. */
  slice(after: number): Awaitable<readonly Row[]>;
  exists(number: number): Awaitable<boolean>;
  /** @throws RecordDamageError when an index does not have the row */
  checkIndexes(row: Row): void;
  /** Tables with rows of a record that does not exist and was not deleted, with its number in a range. */
  orphans(
    after: number,
    upTo: number,
  ): Awaitable<readonly { readonly table: string; readonly record: number }[]>;
  /** Whether a page of the database cannot be read. */
  isCorrupt(error: unknown): boolean;
}

/**
 * Reads everything in slices: all checksums, the lines without a gap, each record through each index, and rows that
 * belong to no record.
 *
 * @param pause called between slices, with the number of records that were read and of all records
 */
export async function verifyTables<Row extends RowToVerify>(
  tables: TablesToVerify<Row>,
  pause: (done: number, all: number) => Awaitable<void>,
): Promise<Verification> {
  const { records: stored, where } = tables;
  const all = await tables.count();
  const damaged: DamagedRecord[] = [];
  let [done, records, lines, last] = [0, 0, 0, 0];
  const rest = () => pause(Math.min(done, all), all);

  const checkLines = async (id: string, kind: keyof LineTexts, length: number) => {
    for (let from = 0; from < length; from += linesPerSlice) {
      const limit = Math.min(linesPerSlice, length - from);
      const found = await stored.lines(id, kind, { from, limit });
      if (found?.length !== limit)
        throw new RecordDamageError(id, `Lines of its ${kind} are missing.`);
      if (from + limit < length) await rest();
    }
  };
  const check = async (row: Row) => {
    const { id, damage } = row;
    if (damage !== null) throw new RecordDamageError(id, damage);
    const record = await stored.record(id);
    if (record === undefined) throw new RecordDamageError(id, 'The index of ids does not have it.');
    tables.checkIndexes(row);
    const { journalLength, transcriptLength } = record;
    await checkLines(id, 'journal', journalLength);
    await checkLines(id, 'transcript', transcriptLength);
    records += 1;
    lines += journalLength + transcriptLength;
  };

  try {
    for (let isLast = false; !isLast;) {
      const rows = await tables.slice(last);
      for (const row of rows) {
        done += 1;
        try {
          await check(row);
        } catch (error) {
          if (!(error instanceof RecordDamageError)) throw error;
          // It may have been deleted since the slice was read.
          if (await tables.exists(row.number))
            damaged.push({ id: row.id, reason: error.message, where });
        }
      }
      isLast = rows.length < recordsPerSlice;
      const end = isLast ? Number.MAX_SAFE_INTEGER : rows.at(-1)!.number;
      for (const { table, record } of await tables.orphans(last, end)) {
        const reason = `The table "${table}" has rows of the record number ${record}, which does not exist.`;
        damaged.push({ reason, where });
      }
      last = end;
      if (!isLast) await rest();
    }
  } catch (error) {
    if (!tables.isCorrupt(error)) throw error;
    const reason = 'A page of the database cannot be read. What follows it was not verified.';
    damaged.push({ reason, where });
  }
  await rest();
  return { records, lines, damaged };
}
