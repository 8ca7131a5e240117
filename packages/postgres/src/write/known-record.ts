import { RecordDamageError } from '@dramaturg/host/store';
import type { Database } from '../connection/database.ts';
import { nameOf, storedName } from '../names.ts';
import { checkRecord, recordColumns, recordRow, type RecordRow } from '../rows.ts';

/** The owner's copy of a record, by which it accepts or refuses writes. No other process writes to the record. */
export interface KnownRecord {
  row: RecordRow;
  /** The places of the letters in the outbox, by id. */
  readonly letters: Map<string, number>;
  /** The places of the parts, by key. */
  readonly parts: Map<string, number>;
}

/** Maximum number of records that the owner knows. Each takes about one kilobyte. */
const recordsMax = 20_000;

/** The records that the owner wrote to last. Missing records are not remembered. */
export class KnownRecords {
  readonly #records = new Map<string, KnownRecord>();

  get(id: string): KnownRecord | undefined {
    return this.#records.get(id);
  }

  /** Also marks a record as most recently used. */
  set(id: string, record: KnownRecord): void {
    this.#records.delete(id);
    this.#records.set(id, record);
  }

  delete(id: string): void {
    this.#records.delete(id);
  }

  clear(): void {
    this.#records.clear();
  }

  /** Forgets the least recently used records. */
  trim(): void {
    for (const id of this.#records.keys()) {
      if (this.#records.size <= recordsMax) return;
      this.#records.delete(id);
    }
  }
}

interface NamesRow {
  readonly record: number;
  readonly kind: 'letter' | 'part';
  readonly place: number;
  readonly name: string;
}

/**
 * Loads the known fields of records.
 *
 * @returns the records that exist, by id
 */
export async function loadKnown(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, KnownRecord>> {
  const found = await database.transaction(
    'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    async ({ run }) => {
      const rows = await run<RecordRow & Record<string, unknown>>(
        `SELECT ${recordColumns} FROM {schema}.records WHERE id = ANY ($1::text[])`,
        [textList(ids.map(storedName))],
      );
      if (rows.length === 0) return { rows, names: [] };
      const names = await run<NamesRow & Record<string, unknown>>(
        `SELECT record, 'letter' AS kind, place, id AS name FROM {schema}.letters WHERE record = ANY ($1::bigint[])
         UNION ALL
         SELECT record, 'part', place, key FROM {schema}.parts WHERE record = ANY ($1::bigint[])
         ORDER BY record, place`,
        [textList(rows.map(({ number }) => String(number)))],
      );
      return { rows, names };
    },
  );
  const known = new Map<number, KnownRecord>();
  for (const stored of found.rows)
    known.set(stored.number, { row: recordRow(stored), letters: new Map(), parts: new Map() });
  for (const { record, kind, place, name } of found.names)
    known.get(record)?.[kind === 'letter' ? 'letters' : 'parts'].set(nameOf(name), place);
  return new Map(Array.from(known.values(), (record) => [record.row.id, record]));
}

/** @throws `RecordDamageError` when the rows of a record do not fit together */
export function checkKnown({ row, letters, parts }: KnownRecord): void {
  checkRecord(row);
  if (letters.size !== row.letter_count)
    throw new RecordDamageError(row.id, `It has ${letters.size} letters of ${row.letter_count}.`);
  if (parts.size !== row.part_count)
    throw new RecordDamageError(row.id, `It has ${parts.size} parts of ${row.part_count}.`);
}

/** Writes an array in the text format of Postgres. */
function textList(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
