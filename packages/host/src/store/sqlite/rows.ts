import { crc32 } from 'node:zlib';
import { attentionSum } from '../attention.ts';
import type { LineTexts } from '../write.ts';
import { checkSum, RecordDamageError } from '../record-damage-error.ts';
import type { RecordColumns } from '../table-rows.ts';

/** A row of `records`. */
export interface RecordRow extends RecordColumns {
  readonly ended: 0 | 1;
  readonly waiting: 0 | 1;
}

export const recordColumns = `number, id, kind, contact, parent, definition, version, created_at, updated_at, status, ended,
  revision, timers, due_at, waiting, questions, queue, queued_at, owner, acted_at, last_letter, letter_count,
  part_count, journal_length, transcript_length, damage, sum`;

/** Selects the highest position that lines have or had. */
export const lastPosition =
  'SELECT max((SELECT last FROM feed), coalesce((SELECT max(position) FROM lines), 0))';

export function sumOfRecord(row: Omit<RecordRow, 'sum' | 'damage'>): number {
  return crc32(
    `${row.number} ${row.id} ${row.kind} ${row.contact} ${row.parent} ${row.definition} ${row.version} ` +
      `${row.created_at} ${row.updated_at} ${row.status} ${row.ended} ${row.revision} ${row.timers} ${row.due_at} ` +
      `${row.waiting} ${row.questions} ${row.last_letter} ${row.letter_count} ${row.part_count} ` +
      `${row.journal_length} ${row.transcript_length}${attentionSum(row)}`,
  );
}

export function sumOfPart(record: number, key: string, text: string): number {
  return crc32(text, crc32(`${record} ${key}`));
}

/** A row of `lines`. */
export interface LinesRow {
  readonly position: number;
  readonly record: number;
  readonly kind: keyof LineTexts;
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

export function sumOfLines({ position, record, kind, first, count, text }: LinesRow): number {
  return crc32(text, crc32(`${position} ${record} ${kind} ${first} ${count}`));
}

/** @throws `RecordDamageError` */
export function checkRecord<Row extends RecordRow>(row: Row): Row {
  const what = 'row of the table "records"';
  checkSum(row.id, row.sum, () => sumOfRecord(row), what);
  const { id, kind, contact, parent, definition, version, status } = row;
  checkTexts(id, [kind, contact, parent, definition, version, status], what);
  return row;
}

/**
 * Checks that values are texts: one wrong bit in the header of a row makes them blobs, with the same checksum.
 *
 * @throws `RecordDamageError` when a value is not a text
 */
export function checkTexts(id: string, values: readonly unknown[], what: string): void {
  if (values.some((value) => value !== null && typeof value !== 'string'))
    throw new RecordDamageError(id, `The ${what} has a value of another type.`);
}
