import { crc32 } from 'node:zlib';
import type { LineTexts } from '../write.ts';
import { checkSum } from '../record-damage-error.ts';

/** A row of `records`. */
export interface RecordRow {
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
  revision, timers, due_at, waiting, questions, last_letter, letter_count, part_count, journal_length, transcript_length, damage, sum`;

/**
 * The checksums detect accidental changes (CRC-32). Each includes the record that the row belongs to, so that a row that
 * is found under another record is wrong, too.
 */
export function sumOfRecord(row: Omit<RecordRow, 'sum' | 'damage'>): number {
  return crc32(
    `${row.number} ${row.id} ${row.kind} ${row.contact} ${row.parent} ${row.definition} ${row.version} ` +
      `${row.created_at} ${row.updated_at} ${row.status} ${row.ended} ${row.revision} ${row.timers} ${row.due_at} ` +
      `${row.waiting} ${row.questions} ${row.last_letter} ${row.letter_count} ${row.part_count} ` +
      `${row.journal_length} ${row.transcript_length}`,
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

export function sumOfLines(
  record: number,
  kind: keyof LineTexts,
  first: number,
  text: string,
): number {
  return crc32(text, crc32(`${record} ${kind} ${first}`));
}

/** @throws `RecordDamageError` */
export function checkRecord<Row extends RecordRow>(row: Row): Row {
  checkSum(row.id, row.sum, () => sumOfRecord(row), 'row of the table "records"');
  return row;
}
