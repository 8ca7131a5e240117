import { crc32 } from 'node:zlib';
import type { Json } from '@dramaturg/compiler';
import { type AttentionColumns, attentionColumns, attentionIn } from './attention.ts';
import type {
  Committed,
  DueTimer,
  Letter,
  LineRange,
  Part,
  RecordSummary,
  Timer,
} from './contract.ts';
import { checkSum, RecordDamageError } from './record-damage-error.ts';
import { questionsField } from './record-state.ts';
import type { CommitWrite, CreateWrite, LineTexts } from './write.ts';

/** Columns of the table `records` that every SQL store has. */
export interface RecordColumns extends AttentionColumns {
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
  readonly ended: boolean | 0 | 1;
  readonly revision: number;
  readonly timers: string;
  readonly due_at: number | null;
  readonly questions: number;
  readonly last_letter: number;
  readonly letter_count: number;
  readonly part_count: number;
  readonly journal_length: number;
  readonly transcript_length: number;
  /** The reason why the record is set aside. */
  readonly damage: string | null;
  /** Null when a person has repaired the row. */
  readonly sum: number | null;
}

/** The columns of a new record, without those that a store fills in another way. */
export function createdColumns(
  number: number,
  write: CreateWrite,
): Omit<RecordColumns, 'ended' | 'damage' | 'sum'> {
  const { origin, status, timers, questions, attention, revision, updatedAt } = write;
  const { id, kind, contact, parent, definition, createdAt } = origin;
  return {
    number,
    id,
    kind,
    contact: contact ?? null,
    parent: parent ?? null,
    definition: definition?.name ?? null,
    version: definition?.version ?? null,
    created_at: createdAt,
    updated_at: updatedAt,
    status,
    revision,
    ...timerColumns(timers),
    questions,
    ...attentionColumns(attention),
    last_letter: write.outbox.length,
    letter_count: write.outbox.length,
    part_count: write.parts.length,
    journal_length: write.journal.length,
    transcript_length: write.transcript.length,
  };
}

/** The columns that a commit gives new values, besides the counts of rows in other tables. */
export function changedColumns(
  { updatedAt, status, questions, attention, timers }: CommitWrite,
  row: RecordColumns,
) {
  return {
    revision: row.revision + 1,
    updated_at: updatedAt ?? row.updated_at,
    status: status ?? row.status,
    questions: questions ?? row.questions,
    ...(attention && attentionColumns(attention)),
    ...(timers && timerColumns(timers)),
  };
}

function timerColumns(timers: readonly Timer[]): Pick<RecordColumns, 'timers' | 'due_at'> {
  if (timers.length === 0) return { timers: '[]', due_at: null };
  const earliest = timers.reduce((least, { at }) => Math.min(least, at), Infinity);
  return { timers: JSON.stringify(timers), due_at: earliest };
}

export function committedIn({
  revision,
  journal_length: journalLength,
  transcript_length: transcriptLength,
}: Pick<RecordColumns, 'revision' | 'journal_length' | 'transcript_length'>): Committed {
  return { revision, journalLength, transcriptLength };
}

/** A row of another table of a record: a part, a letter, or lines. */
export interface PieceColumns {
  /** The key of a part, or the id of a letter. */
  readonly name: string;
  /** The place of a letter, or the number of the first line. */
  readonly place: number;
  readonly sum: number | null;
  readonly text: string;
}

/*
 * The checksums (CRC-32) detect accidental changes. Each includes the record that the row belongs to, so that a row under another
 * record is also detected.
 */

export function sumOfSnapshot(record: number, text: string): number {
  return crc32(text, crc32(String(record)));
}

export function sumOfLetter(record: number, place: number, id: string, body: string): number {
  return crc32(body, crc32(`${record} ${place} ${id}`));
}

/** @throws RecordDamageError */
export function summaryIn(row: RecordColumns): RecordSummary {
  const { contact, parent, definition, version } = row;
  return {
    id: row.id,
    kind: row.kind,
    ...(contact === null ? {} : { contact }),
    ...(parent === null ? {} : { parent }),
    ...(definition === null || version === null
      ? {}
      : { definition: { name: definition, version } }),
    createdAt: row.created_at,
    status: row.status,
    ended: Boolean(row.ended),
    revision: row.revision,
    updatedAt: row.updated_at,
    timers: timersIn(row),
    ...questionsField(row.questions),
    ...attentionIn(row),
    journalLength: row.journal_length,
    transcriptLength: row.transcript_length,
  };
}

function timersIn({ id, timers }: RecordColumns): Timer[] {
  return timers === '[]' ? [] : (valueIn(id, timers, 'list of its timers') as unknown as Timer[]);
}

/**
 * The summaries of rows, without damaged records.
 *
 * @param check checks a row @throws RecordDamageError
 */
export function summariesIn<Row>(
  rows: readonly Row[],
  check: (row: Row) => RecordColumns,
  onDamage: (damage: RecordDamageError) => void,
): RecordSummary[] {
  return rows.flatMap((row) => {
    try {
      return [summaryIn(check(row))];
    } catch (error) {
      if (!(error instanceof RecordDamageError)) throw error;
      onDamage(error);
      return [];
    }
  });
}

/** The due timers of records, earliest first. */
export function dueIn(
  summaries: readonly RecordSummary[],
  before: number,
  limit: number,
): DueTimer[] {
  return summaries
    .flatMap(({ id, timers }) => timers.map(({ key, at }) => ({ id, key, at })))
    .filter(({ at }) => at <= before)
    .toSorted((one, other) => one.at - other.at)
    .slice(0, limit);
}

/** @throws RecordDamageError */
export function snapshotIn(
  { id, number }: RecordColumns,
  found: Pick<PieceColumns, 'sum' | 'text'> | undefined,
): Json {
  if (found === undefined) throw new RecordDamageError(id, 'Its snapshot is missing.');
  const { sum, text } = found;
  checkSum(id, sum, () => sumOfSnapshot(number, text), 'snapshot');
  return valueIn(id, text, 'snapshot');
}

/** @throws RecordDamageError */
export function partsIn<Piece extends PieceColumns>(
  { id, part_count: count }: RecordColumns,
  pieces: readonly Piece[],
  sumOf: (piece: Piece) => number,
): Part[] {
  if (pieces.length !== count)
    throw new RecordDamageError(id, `It has ${pieces.length} parts of ${count}.`);
  return pieces.map((piece) => {
    const { name: key, sum, text } = piece;
    checkSum(id, sum, () => sumOf(piece), `part "${key}"`);
    return { key, value: valueIn(id, text, `part "${key}"`) };
  });
}

/** @throws RecordDamageError */
export function outboxIn(
  { id, number, letter_count: count }: RecordColumns,
  pieces: readonly PieceColumns[],
): Letter[] {
  if (pieces.length !== count)
    throw new RecordDamageError(id, `It has ${pieces.length} letters of ${count}.`);
  return pieces.map(({ name: letter, place, sum, text }) => {
    checkSum(id, sum, () => sumOfLetter(number, place, letter, text), `letter "${letter}"`);
    return { id: letter, body: valueIn(id, text, `letter "${letter}"`) };
  });
}

/**
 * The lines of a range.
 *
 * @param pieces the rows with these lines; the first one may begin before the range
 * @throws RecordDamageError when lines are missing
 */
export function linesIn<Piece extends Omit<PieceColumns, 'name'>>(
  { id, journal_length, transcript_length }: RecordColumns,
  kind: keyof LineTexts,
  { from, limit }: LineRange,
  pieces: readonly Piece[],
  sumOf: (piece: Piece) => number,
): Json[] {
  const length = kind === 'journal' ? journal_length : transcript_length;
  if (from >= length) return [];
  const start = pieces[0]?.place ?? 0;
  const lines: Json[] = [];
  for (const piece of pieces) {
    const { place, sum, text } = piece;
    if (place !== start + lines.length) break;
    const what = `row of its ${kind} from line ${place}`;
    checkSum(id, sum, () => sumOf(piece), what);
    const found = valueIn(id, text, what);
    if (!Array.isArray(found)) throw new RecordDamageError(id, `The ${what} is not an array.`);
    for (const line of found) lines.push(line);
  }
  if (start > from || start + lines.length < Math.min(from + limit, length))
    throw new RecordDamageError(id, `Lines of its ${kind} are missing.`);
  return lines.slice(from - start, from - start + limit);
}

function valueIn(id: string, text: string, what: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecordDamageError(id, `The ${what} is not JSON.`, { cause });
  }
}
