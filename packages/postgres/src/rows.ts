import { crc32 } from 'node:zlib';
import { attentionSum, checkSum, type LineTexts, type RecordColumns } from '@dramaturg/host/store';

/** A row of `records`, with decoded names. */
export interface RecordRow extends RecordColumns {
  readonly ended: boolean;
  readonly last_part: number;
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

export function sumOfRecord(row: Omit<RecordRow, 'sum' | 'damage'>): number {
  return crc32(
    `${row.number} ${row.id} ${row.kind} ${row.contact} ${row.parent} ${row.definition} ${row.version} ` +
      `${row.created_at} ${row.updated_at} ${row.status} ${row.ended} ${row.revision} ${row.timers} ${row.due_at} ` +
      `${row.questions} ${row.last_letter} ${row.letter_count} ${row.last_part} ${row.part_count} ` +
      `${row.journal_length} ${row.transcript_length}${attentionSum(row)}`,
  );
}

export function sumOfPart(record: number, place: number, key: string, text: string): number {
  return crc32(text, crc32(`${record} ${place} ${key}`));
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

/**
 * Encodes a name for Postgres, whose strings cannot have the character NUL. NUL becomes `␀0`, and the symbol `␀` becomes `␀1`.
 * Other names do not change.
 */
export function storedName(name: string): string {
  return /[\0␀]/.test(name) ? name.replaceAll('␀', '␀1').replaceAll('\0', '␀0') : name;
}

/** @param stored a result of `storedName` */
export function nameOf(stored: string): string {
  return stored.includes('␀')
    ? stored.replace(/␀([01])/g, (_, digit) => (digit === '0' ? '\0' : '␀'))
    : stored;
}
