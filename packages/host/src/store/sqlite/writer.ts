import type { Database, Statement } from 'better-sqlite3';
import type { Committed } from '../contract.ts';
import type { FeedPlace } from '../feed.ts';
import { damagedRecord, recordExists, unknownRecord } from '../errors.ts';
import { checkCommit } from '../record-state.ts';
import {
  checkRecord,
  lastPosition,
  recordColumns,
  type RecordRow,
  sumOfLines,
  sumOfPart,
  sumOfRecord,
} from './rows.ts';
import {
  changedColumns,
  committedIn,
  createdColumns,
  sumOfLetter,
  sumOfSnapshot,
} from '../table-rows.ts';
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
    const { ended, snapshot, parts, outbox } = write;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const row: Omit<RecordRow, 'sum' | 'damage'> = {
      ...createdColumns(number, write),
      ended: ended ? 1 : 0,
      waiting: outbox.length > 0 ? 1 : 0,
    };
    this.#statements.create.run({ ...row, damage: null, sum: sumOfRecord(row) });
    this.#statements.snapshot.run(number, sumOfSnapshot(number, snapshot), snapshot);
    this.#addParts(number, parts);
    this.#letters(number, outbox, 0);
    const position = this.#lines(number, write, 0, 0);
    return { isNew: true, committed: { ...committedIn(row), ...position } };
  }

  #commit(write: CommitWrite, row: RecordRow): WriteResult {
    const { number: record, waiting } = row;
    const { has, remove, snapshot } = this.#statements;
    checkCommit(write, row, (letter) => waiting === 1 && has.get(record, letter) !== undefined);
    const { settled, effects } = write;
    const removed = settled.filter((letter) => remove.run(record, letter).changes > 0).length;
    this.#letters(record, effects, row.last_letter);
    if (write.snapshot !== undefined) {
      snapshot.run(record, sumOfSnapshot(record, write.snapshot), write.snapshot);
    }
    const committed = this.#append(write, row, row.revision + 1);
    this.#update(row, {
      ...changedColumns(write, row),
      ended: write.ended === undefined ? row.ended : write.ended ? 1 : 0,
      last_letter: row.last_letter + effects.length,
      ...letterColumns(row.letter_count - removed + effects.length),
      part_count: row.part_count + this.#changeParts(record, write.parts),
      ...columnsOf(committed),
    });
    return { isNew: true, committed };
  }

  #acknowledge(write: AcknowledgeWrite, row: RecordRow): WriteResult {
    const { number: record, revision } = row;
    const { changes } = this.#statements.remove.run(record, write.letter);
    if (changes === 0) return { isNew: false, committed: committedIn(row) };
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
