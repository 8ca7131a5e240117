import { crc32 } from 'node:zlib';
import { type AttentionColumns, attentionSum } from '../attention.ts';
import type { LineTexts } from '../write.ts';
import { checkSum, RecordDamageError } from '../record-damage-error.ts';

/** A row of `records`. */
export interface RecordRow extends AttentionColumns {
  readonly number: number;
  readonly id: string;
  readonly kind: string;
  readonly contact: string | null;
  readonly parent: string | null;
  readonly definition: string | null;
  readonly version: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly status: string;
  readonly ended: 0 | 1;
  readonly revision: number;
  readonly timers: string;
  readonly due_at: number | null;
  readonly waiting: 0 | 1;
  readonly questions: number;
  readonly last_letter: number;
  readonly letter_count: number;
  readonly part_count: number;
  readonly journal_length: number;
  readonly transcript_length: number;
  readonly damage: string | null;
  /** Null when a person has repaired the row. */
  readonly sum: number | null;
}

export const recordColumns = `number, id, kind, contact, parent, definition, version, created_at, updated_at, status, ended,
  revision, timers, due_at, waiting, questions, queue, queued_at, owner, acted_at, last_letter, letter_count,
  part_count, journal_length, transcript_length, damage, sum`;

/** Selects the highest position that lines have or had. */
export const lastPosition =
  'SELECT max((SELECT last FROM feed), coalesce((SELECT max(position) FROM lines), 0))';

/**
 * The checksums detect accidental changes (CRC-32). Each includes the record that the row belongs to, so that a row under another
 * record is also detected.
 */
export function sumOfRecord(row: Omit<RecordRow, 'sum' | 'damage'>): number {
  return crc32(
    `${row.number} ${row.id} ${row.kind} ${row.contact} ${row.parent} ${row.definition} ${row.version} ` +
      `${row.created_at} ${row.updated_at} ${row.status} ${row.ended} ${row.revision} ${row.timers} ${row.due_at} ` +
      `${row.waiting} ${row.questions} ${row.last_letter} ${row.letter_count} ${row.part_count} ` +
      `${row.journal_length} ${row.transcript_length}${attentionSum(row)}`,
  );
}

export function sumOfSnapshot(record: number, text: string): number {
  return crc32(text, crc32(String(record)));
}

export function sumOfPart(record: number, key: string, text: string): number {
  return crc32(text, crc32(`${record} ${key}`));
}

export function sumOfLetter(record: number, id: string, place: number, body: string): number {
  return crc32(body, crc32(`${record} ${place} ${id}`));
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
