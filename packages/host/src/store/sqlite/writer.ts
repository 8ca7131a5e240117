import type { Database, Statement } from 'better-sqlite3';
import { crc32 } from 'node:zlib';
import type { Committed, Timer } from '../contract.ts';
import { conflict, damagedRecord, recordEnded, recordExists, unknownRecord } from '../errors.ts';
import { cannotRestart, letterAlreadyInOutbox, letterNotInMailbox } from '../record-state.ts';
import type {
  AcknowledgeWrite,
  CommitWrite,
  CreateWrite,
  EnqueueWrite,
  LetterText,
  LineTexts,
  Write,
  WriteResult,
} from '../write.ts';

/** The columns of `records` that a write may change, and the key of the row. */
interface WritableRow {
  readonly number: number;
  readonly status: string;
  readonly ended: 0 | 1;
  readonly revision: number;
  readonly updated_at: number;
  readonly timers: string;
  readonly due_at: number | null;
  readonly waiting: 0 | 1;
  readonly questions: number;
  readonly last_letter: number;
  readonly journal_length: number;
  readonly transcript_length: number;
  readonly damage: string | null;
}

type Box = 'mailbox' | 'outbox';

/** Applies writes to the tables, inside a transaction. Each write is checked before anything is changed. */
export class Writer {
  readonly #database: Database;
  readonly #path: string;
  readonly #statements;
  /** Prepared updates of a record, by the columns that they set. */
  readonly #updates = new Map<string, Statement>();

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#statements = statementsFor(database);
  }

  /** @throws the `StoreError` with which the write is refused */
  store(write: Write): WriteResult {
    const row = this.#statements.find.get(write.id) as WritableRow | undefined;
    if (row !== undefined && row.damage !== null) {
      throw damagedRecord(write.id, row.damage, locationOf(this.#path));
    }
    if (write.type === 'create') {
      if (row !== undefined) throw recordExists(write.id);
      return this.#create(write);
    }
    if (row === undefined) throw unknownRecord(write.id);
    if (write.type === 'commit') return this.#commit(write, row);
    return write.type === 'enqueue' ? this.#enqueue(write, row) : this.#acknowledge(write, row);
  }

  #create(write: CreateWrite): WriteResult {
    const { origin, status, ended, timers, questions, snapshot, mailbox, outbox } = write;
    const { id, kind, contact, parent, definition, createdAt } = origin;
    const { lastInsertRowid } = this.#statements.create.run({
      id,
      kind,
      contact: contact ?? null,
      parent: parent ?? null,
      definition: definition?.name ?? null,
      version: definition?.version ?? null,
      createdAt,
      status,
      ended: Number(ended),
      timers: timersText(timers),
      dueAt: earliestTime(timers),
      waiting: mailbox.length + outbox.length > 0 ? 1 : 0,
      questions,
      lastLetter: mailbox.length + outbox.length,
      journalLength: write.journal.length,
      transcriptLength: write.transcript.length,
    });
    const record = Number(lastInsertRowid);
    this.#statements.snapshot.run(record, crc32(snapshot), snapshot);
    this.#letters(record, 'mailbox', mailbox, 0);
    this.#letters(record, 'outbox', outbox, mailbox.length);
    this.#lines(record, write, 0, 0);
    return {
      isNew: true,
      committed: {
        revision: 1,
        journalLength: write.journal.length,
        transcriptLength: write.transcript.length,
      },
    };
  }

  #commit(write: CommitWrite, row: WritableRow): WriteResult {
    this.#check(write, row);
    const { number: record } = row;
    const { remove, snapshot } = this.#statements;
    const { handled, settled, effects, timers } = write;
    for (const letter of handled) remove.run(record, 'mailbox', letter);
    for (const letter of settled) remove.run(record, 'outbox', letter);
    this.#letters(record, 'outbox', effects, row.last_letter);
    if (write.snapshot !== undefined) {
      snapshot.run(record, crc32(write.snapshot), write.snapshot);
    }
    const committed = this.#append(write, row, row.revision + 1);
    const mayBeLast = handled.length + settled.length > 0;
    this.#update(row, {
      updated_at: write.updatedAt ?? row.updated_at,
      status: write.status ?? row.status,
      ended: write.ended === undefined ? row.ended : write.ended ? 1 : 0,
      timers: timers === undefined ? row.timers : timersText(timers),
      due_at: timers === undefined ? row.due_at : earliestTime(timers),
      waiting: effects.length > 0 ? 1 : mayBeLast ? this.#hasAny(record) : row.waiting,
      questions: write.questions ?? row.questions,
      last_letter: row.last_letter + effects.length,
      ...columnsOf(committed),
    });
    return { isNew: true, committed };
  }

  #check(
    { id, expectedRevision, ended, handled, settled, effects }: CommitWrite,
    row: WritableRow,
  ): void {
    if (row.revision !== expectedRevision) throw conflict(id, expectedRevision, row.revision);
    if (row.ended === 1 && ended === false) throw cannotRestart(id);
    for (const letter of handled) {
      if (!this.#has(row, 'mailbox', letter)) throw letterNotInMailbox(id, letter);
    }
    for (const { id: letter } of effects) {
      if (!settled.includes(letter) && this.#has(row, 'outbox', letter)) {
        throw letterAlreadyInOutbox(id, letter);
      }
    }
  }

  #enqueue(write: EnqueueWrite, row: WritableRow): WriteResult {
    if (this.#has(row, 'mailbox', write.letter.id)) return alreadyStored(row);
    if (row.ended === 1) throw recordEnded(write.id);
    this.#letters(row.number, 'mailbox', [write.letter], row.last_letter);
    const committed = this.#append(write, row, row.revision);
    const last_letter = row.last_letter + 1;
    this.#update(row, { waiting: 1, last_letter, ...columnsOf(committed) });
    return { isNew: true, committed };
  }

  #acknowledge(write: AcknowledgeWrite, row: WritableRow): WriteResult {
    const { number: record, revision } = row;
    const { changes } = this.#statements.remove.run(record, 'outbox', write.letter);
    if (changes === 0) return alreadyStored(row);
    const committed = this.#append(write, row, revision);
    this.#update(row, { waiting: this.#hasAny(record), ...columnsOf(committed) });
    return { isNew: true, committed };
  }

  /** Sets only changed columns, because SQLite rewrites the index of every column that is set. */
  #update(row: WritableRow, columns: Partial<WritableRow>): void {
    const changed = Object.entries(columns).filter(
      ([name, value]) => value !== row[name as keyof WritableRow],
    );
    if (changed.length === 0) return;
    const names = changed.map(([name]) => `${name} = ?`).join(', ');
    let update = this.#updates.get(names);
    if (update === undefined) {
      update = this.#database.prepare(`UPDATE records SET ${names} WHERE number = ?`);
      this.#updates.set(names, update);
    }
    update.run(...changed.map(([, value]) => value), row.number);
  }

  #has({ number, waiting }: WritableRow, box: Box, letter: string): boolean {
    return waiting === 1 && this.#statements.has.get(number, box, letter) !== undefined;
  }

  #hasAny(record: number): 0 | 1 {
    return this.#statements.hasAny.get(record) === undefined ? 0 : 1;
  }

  /** @param last the value of `place` of the newest letter */
  #letters(record: number, box: Box, letters: readonly LetterText[], last: number): void {
    for (const [index, { id, body }] of letters.entries()) {
      this.#statements.letter.run(record, box, id, last + 1 + index, crc32(body), body);
    }
  }

  #append(lines: LineTexts, row: WritableRow, revision: number): Committed {
    const { journal_length: journalLength, transcript_length: transcriptLength } = row;
    this.#lines(row.number, lines, journalLength, transcriptLength);
    return {
      revision,
      journalLength: journalLength + lines.journal.length,
      transcriptLength: transcriptLength + lines.transcript.length,
    };
  }

  #lines(record: number, lines: LineTexts, journalFrom: number, transcriptFrom: number): void {
    this.#linesOf(record, 'journal', lines.journal, journalFrom);
    this.#linesOf(record, 'transcript', lines.transcript, transcriptFrom);
  }

  #linesOf(record: number, kind: keyof LineTexts, lines: readonly string[], first: number): void {
    if (lines.length === 0) return;
    const text = `[${lines.join(',')}]`;
    this.#statements.lines.run(record, kind, first, crc32(text), text);
  }
}

/** The location of a damaged record, which stays in its row. */
export function locationOf(path: string): string {
  return `the table "records" of ${path}`;
}

function alreadyStored(row: WritableRow): WriteResult {
  const { revision, journal_length: journalLength, transcript_length: transcriptLength } = row;
  return { isNew: false, committed: { revision, journalLength, transcriptLength } };
}

function timersText(timers: readonly Timer[]): string {
  return timers.length === 0 ? '[]' : JSON.stringify(timers);
}

function earliestTime(timers: readonly Timer[]): number | null {
  return timers.length === 0
    ? null
    : timers.reduce((least, { at }) => Math.min(least, at), Infinity);
}

function columnsOf({ revision, journalLength, transcriptLength }: Committed): Partial<WritableRow> {
  return { revision, journal_length: journalLength, transcript_length: transcriptLength };
}

function statementsFor(database: Database) {
  return {
    find: database.prepare(
      `SELECT number, status, ended, revision, updated_at, timers, due_at, waiting, questions,
         last_letter, journal_length, transcript_length, damage
       FROM records WHERE id = ?`,
    ),
    create: database.prepare(
      `INSERT INTO records (id, kind, contact, parent, definition, version, created_at, updated_at,
         status, ended, revision, timers, due_at, waiting, questions, last_letter,
         journal_length, transcript_length)
       VALUES (@id, @kind, @contact, @parent, @definition, @version, @createdAt, @createdAt,
         @status, @ended, 1, @timers, @dueAt, @waiting, @questions, @lastLetter,
         @journalLength, @transcriptLength)`,
    ),
    snapshot: database.prepare(
      'INSERT OR REPLACE INTO snapshots (record, sum, text) VALUES (?, ?, ?)',
    ),
    has: database.prepare('SELECT 1 FROM letters WHERE record = ? AND box = ? AND id = ?'),
    hasAny: database.prepare('SELECT 1 FROM letters WHERE record = ? LIMIT 1'),
    letter: database.prepare(
      'INSERT INTO letters (record, box, id, place, sum, body) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    remove: database.prepare('DELETE FROM letters WHERE record = ? AND box = ? AND id = ?'),
    lines: database.prepare(
      'INSERT INTO lines (record, kind, first, sum, text) VALUES (?, ?, ?, ?, ?)',
    ),
  };
}
