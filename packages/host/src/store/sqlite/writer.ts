import type { Database, Statement } from 'better-sqlite3';
import { attentionColumns } from '../attention.ts';
import type { Committed, Timer } from '../contract.ts';
import type { FeedPlace } from '../feed.ts';
import { conflict, damagedRecord, recordExists, unknownRecord } from '../errors.ts';
import { cannotRestart, letterAlreadyInOutbox } from '../record-state.ts';
import {
  checkRecord,
  lastPosition,
  recordColumns,
  type RecordRow,
  sumOfLines,
  sumOfPart,
  sumOfRecord,
} from './rows.ts';
import { sumOfLetter, sumOfSnapshot } from '../table-rows.ts';
import type {
  AcknowledgeWrite,
  CommitWrite,
  CreateWrite,
  LetterText,
  LineTexts,
  PartText,
  Write,
  WriteResult,
} from '../write.ts';

/** Applies writes to the tables, inside a transaction. Each write is checked before anything is changed. */
export class Writer {
  readonly #database: Database;
  readonly #path: string;
  readonly #statements;
  /** Prepared updates of a record, by the columns that they set. */
  readonly #updates = new Map<string, Statement>();

  /** The highest number that a record has or had. */
  #lastNumber: number;
  /** The highest position that lines have or had. */
  #lastPosition: number;
  /** The highest position that journal lines may have. */
  #lastJournal: number;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#statements = statementsFor(database);
    this.#lastNumber = lastNumberIn(database);
    this.#lastPosition = lastPositionIn(database);
    this.#lastJournal = this.#lastPosition;
  }

  /** @throws the `StoreError` with which the write is refused */
  store(write: Write): WriteResult {
    const row = this.#statements.find.get(write.id) as RecordRow | undefined;
    if (row !== undefined && row.damage !== null) {
      throw damagedRecord(write.id, row.damage, locationOf(this.#path));
    }
    if (write.type === 'create') {
      if (row !== undefined) throw recordExists(write.id);
      return this.#create(write);
    }
    if (row === undefined) throw unknownRecord(write.id);
    checkRecord(row);
    return write.type === 'commit' ? this.#commit(write, row) : this.#acknowledge(write, row);
  }

  /**
   * Removes the row of a record, damaged or not. `Compaction` removes the other rows, which may be large.
   *
   * @returns false when there is no record with this id
   */
  delete(id: string): boolean {
    const row = this.#statements.find.get(id) as RecordRow | undefined;
    if (row === undefined) return false;
    this.#statements.delete.run(row.number);
    this.#statements.deletion.run(row.number);
    return true;
  }

  #create(write: CreateWrite): WriteResult {
    const { origin, status, ended, timers, questions, attention, snapshot, parts, outbox } = write;
    const { revision, updatedAt } = write;
    const { id, kind, contact, parent, definition, createdAt } = origin;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const row: Omit<RecordRow, 'sum' | 'damage'> = {
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
      ended: ended ? 1 : 0,
      revision,
      timers: timersText(timers),
      due_at: earliestTime(timers),
      waiting: outbox.length > 0 ? 1 : 0,
      questions,
      ...attentionColumns(attention),
      last_letter: outbox.length,
      letter_count: outbox.length,
      part_count: parts.length,
      journal_length: write.journal.length,
      transcript_length: write.transcript.length,
    };
    this.#statements.create.run({ ...row, damage: null, sum: sumOfRecord(row) });
    this.#statements.snapshot.run(number, sumOfSnapshot(number, snapshot), snapshot);
    this.#addParts(number, parts);
    this.#letters(number, outbox, 0);
    const position = this.#lines(number, write, 0, 0);
    return { isNew: true, committed: { ...committedOf(row), ...position } };
  }

  #commit(write: CommitWrite, row: RecordRow): WriteResult {
    this.#check(write, row);
    const { number: record } = row;
    const { remove, snapshot } = this.#statements;
    const { settled, effects, timers } = write;
    const removed = settled.filter((letter) => remove.run(record, letter).changes > 0).length;
    this.#letters(record, effects, row.last_letter);
    if (write.snapshot !== undefined) {
      snapshot.run(record, sumOfSnapshot(record, write.snapshot), write.snapshot);
    }
    const committed = this.#append(write, row, row.revision + 1);
    this.#update(row, {
      updated_at: write.updatedAt ?? row.updated_at,
      status: write.status ?? row.status,
      ended: write.ended === undefined ? row.ended : write.ended ? 1 : 0,
      timers: timers === undefined ? row.timers : timersText(timers),
      due_at: timers === undefined ? row.due_at : earliestTime(timers),
      questions: write.questions ?? row.questions,
      ...(write.attention && attentionColumns(write.attention)),
      last_letter: row.last_letter + effects.length,
      ...letterColumns(row.letter_count - removed + effects.length),
      part_count: row.part_count + this.#changeParts(record, write.parts),
      ...columnsOf(committed),
    });
    return { isNew: true, committed };
  }

  #check({ id, expectedRevision, ended, settled, effects }: CommitWrite, row: RecordRow): void {
    if (row.revision !== expectedRevision) throw conflict(id, expectedRevision, row.revision);
    if (row.ended === 1 && ended === false) throw cannotRestart(id);
    for (const { id: letter } of effects) {
      if (!settled.includes(letter) && this.#has(row, letter)) {
        throw letterAlreadyInOutbox(id, letter);
      }
    }
  }

  #acknowledge(write: AcknowledgeWrite, row: RecordRow): WriteResult {
    const { number: record, revision } = row;
    const { changes } = this.#statements.remove.run(record, write.letter);
    if (changes === 0) return { isNew: false, committed: committedOf(row) };
    const committed = this.#append(write, row, revision);
    this.#update(row, { ...letterColumns(row.letter_count - 1), ...columnsOf(committed) });
    return { isNew: true, committed };
  }

  /** Sets only changed columns, because SQLite rewrites the index of every column that is set. */
  #update(row: RecordRow, columns: Partial<RecordRow>): void {
    const changed = Object.entries(columns).filter(
      ([name, value]) => value !== row[name as keyof RecordRow],
    );
    if (changed.length === 0) return;
    changed.push(['sum', sumOfRecord({ ...row, ...columns })]);
    const names = changed.map(([name]) => `${name} = ?`).join(', ');
    let update = this.#updates.get(names);
    if (update === undefined) {
      update = this.#database.prepare(`UPDATE records SET ${names} WHERE number = ?`);
      this.#updates.set(names, update);
    }
    update.run(...changed.map(([, value]) => value), row.number);
  }

  #has({ number, waiting }: RecordRow, letter: string): boolean {
    return waiting === 1 && this.#statements.has.get(number, letter) !== undefined;
  }

  /** @param last the value of `place` of the newest letter */
  #letters(record: number, letters: readonly LetterText[], last: number): void {
    for (const [index, { id, body }] of letters.entries()) {
      const place = last + 1 + index;
      this.#statements.letter.run(record, id, place, sumOfLetter(record, place, id, body), body);
    }
  }

  /** @returns the change of their number */
  #changeParts(record: number, { set, removed }: CommitWrite['parts']): number {
    const { removePart } = this.#statements;
    const replaced = [...removed, ...set.map(({ key }) => key)];
    const count = replaced.filter((key) => removePart.run(record, key).changes > 0).length;
    this.#addParts(record, set);
    return set.length - count;
  }

  #addParts(record: number, parts: readonly PartText[]): void {
    for (const { key, value } of parts)
      this.#statements.part.run(record, key, sumOfPart(record, key, value), value);
  }

  #append(lines: LineTexts, row: RecordRow, revision: number): Committed {
    const { journal_length: journalLength, transcript_length: transcriptLength } = row;
    return {
      ...this.#lines(row.number, lines, journalLength, transcriptLength),
      revision,
      journalLength: journalLength + lines.journal.length,
      transcriptLength: transcriptLength + lines.transcript.length,
    };
  }

  /** @returns the position in the feed */
  #lines(record: number, lines: LineTexts, journalFrom: number, transcriptFrom: number): FeedPlace {
    const previousPosition = this.#lastJournal;
    const position = this.#linesOf(record, 'journal', lines.journal, journalFrom);
    this.#linesOf(record, 'transcript', lines.transcript, transcriptFrom);
    if (position === undefined) return {};
    this.#lastJournal = position;
    return { position, previousPosition };
  }

  #linesOf(
    record: number,
    kind: keyof LineTexts,
    lines: readonly string[],
    first: number,
  ): number | undefined {
    const count = lines.length;
    if (count === 0) return undefined;
    this.#lastPosition += 1;
    const position = this.#lastPosition;
    const row = { position, record, kind, first, count, text: `[${lines.join(',')}]` };
    const sum = sumOfLines(row);
    this.#statements.lines.run(position, record, kind, first, count, sum, row.text);
    return position;
  }
}

/** The location of a damaged record, which stays in its row. */
export function locationOf(path: string): string {
  return `the table "records" of ${path}`;
}

function committedOf(
  row: Pick<RecordRow, 'revision' | 'journal_length' | 'transcript_length'>,
): Committed {
  const { revision, journal_length: journalLength, transcript_length: transcriptLength } = row;
  return { revision, journalLength, transcriptLength };
}

function timersText(timers: readonly Timer[]): string {
  return timers.length === 0 ? '[]' : JSON.stringify(timers);
}

function earliestTime(timers: readonly Timer[]): number | null {
  return timers.length === 0
    ? null
    : timers.reduce((least, { at }) => Math.min(least, at), Infinity);
}

function columnsOf({ revision, journalLength, transcriptLength }: Committed): Partial<RecordRow> {
  return { revision, journal_length: journalLength, transcript_length: transcriptLength };
}

function letterColumns(count: number): Partial<RecordRow> {
  return { letter_count: count, waiting: count > 0 ? 1 : 0 };
}

/** The last number of a record. A number is not reused while rows of a deleted record have it. */
function lastNumberIn(database: Database): number {
  const both = 'SELECT number FROM records UNION ALL SELECT record FROM deletions';
  return database.prepare(`SELECT coalesce(max(number), 0) FROM (${both})`).pluck().get() as number;
}

/** The last position of lines. A position is never reused, even after its rows are removed. */
function lastPositionIn(database: Database): number {
  return database.prepare(lastPosition).pluck().get() as number;
}

function statementsFor(database: Database) {
  return {
    find: database.prepare(`SELECT ${recordColumns} FROM records WHERE id = ?`),
    create: database.prepare(
      `INSERT INTO records (${recordColumns}) VALUES (${recordColumns.replaceAll(/\w+/g, '@$&')})`,
    ),
    delete: database.prepare('DELETE FROM records WHERE number = ?'),
    deletion: database.prepare('INSERT INTO deletions (record) VALUES (?)'),
    snapshot: database.prepare(
      'INSERT OR REPLACE INTO snapshots (record, sum, text) VALUES (?, ?, ?)',
    ),
    part: database.prepare('INSERT INTO parts (record, key, sum, text) VALUES (?, ?, ?, ?)'),
    removePart: database.prepare('DELETE FROM parts WHERE record = ? AND key = ?'),
    has: database.prepare('SELECT 1 FROM letters WHERE record = ? AND id = ?'),
    letter: database.prepare(
      'INSERT INTO letters (record, id, place, sum, body) VALUES (?, ?, ?, ?, ?)',
    ),
    remove: database.prepare('DELETE FROM letters WHERE record = ? AND id = ?'),
    lines: database.prepare(
      'INSERT INTO lines (position, record, kind, first, count, sum, text) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
  };
}
