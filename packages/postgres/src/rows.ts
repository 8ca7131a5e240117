import { crc32 } from 'node:zlib';
import {
  type AttentionColumns,
  attentionSum,
  checkSum,
  type LineTexts,
} from '@dramaturg/host/store';
import { nameOf } from './names.ts';

/** A row of `records`, with decoded names. */
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
  readonly ended: boolean;
  readonly revision: number;
  readonly timers: string;
  readonly due_at: number | null;
  readonly questions: number;
  readonly last_letter: number;
  readonly letter_count: number;
  readonly last_part: number;
  readonly part_count: number;
  readonly journal_length: number;
  readonly transcript_length: number;
  readonly damage: string | null;
  /** Null when a person has repaired the row. */
  readonly sum: number | null;
}

export const recordColumns = `number, id, kind, contact, parent, definition, version, created_at, updated_at, status,
  ended, revision, timers, due_at, questions, queue, queued_at, owner, acted_at, last_letter, letter_count, last_part,
  part_count, journal_length, transcript_length, damage, sum`;

/** @param stored the row as stored in the table */
export function recordRow(stored: RecordRow): RecordRow {
  const { contact, parent, definition, version, queue, owner } = stored;
  return {
    ...stored,
    id: nameOf(stored.id),
    kind: nameOf(stored.kind),
    contact: contact && nameOf(contact),
    parent: parent && nameOf(parent),
    definition: definition && nameOf(definition),
    version: version && nameOf(version),
    status: nameOf(stored.status),
    queue: queue && nameOf(queue),
    owner: owner && nameOf(owner),
  };
}

/**
 * The checksum (CRC-32) of a row detects accidental changes. It includes the record of the row, so a row under another record is
 * also detected.
 */
export function sumOfRecord(row: Omit<RecordRow, 'sum' | 'damage'>): number {
  return crc32(
    `${row.number} ${row.id} ${row.kind} ${row.contact} ${row.parent} ${row.definition} ${row.version} ` +
      `${row.created_at} ${row.updated_at} ${row.status} ${row.ended} ${row.revision} ${row.timers} ${row.due_at} ` +
      `${row.questions} ${row.last_letter} ${row.letter_count} ${row.last_part} ${row.part_count} ` +
      `${row.journal_length} ${row.transcript_length}${attentionSum(row)}`,
  );
}

export function sumOfSnapshot(record: number, text: string): number {
  return crc32(text, crc32(String(record)));
}

export function sumOfPart(record: number, place: number, key: string, text: string): number {
  return crc32(text, crc32(`${record} ${place} ${key}`));
}

export function sumOfLetter(record: number, place: number, id: string, body: string): number {
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
export function checkRecord(row: RecordRow): RecordRow {
  checkSum(row.id, row.sum, () => sumOfRecord(row), 'row of the table "records"');
  return row;
}
