import type { Database } from 'better-sqlite3';
import { crc32 } from 'node:zlib';
import type { Committed, Timer } from '../contract.ts';
import { conflict, damagedRecord, recordEnded, recordExists, unknownRecord } from '../errors.ts';
import { beginsAgain, isInOutbox, notWaiting } from '../state.ts';
import type {
  AcknowledgeWrite,
  CommitWrite,
  CreateWrite,
  EnqueueWrite,
  LetterText,
  LineTexts,
  Write,
} from '../write.ts';

/** What a write has come to. */
export interface Stored {
  /** False when it had been stored before; nothing is changed then. */
  readonly isNew: boolean;
  readonly committed: Committed;
}

interface Row {
  readonly number: number;
  readonly status: string;
  readonly ended: 0 | 1;
  readonly revision: number;
  readonly updated_at: number;
  readonly timers: string;
  readonly letters: number;
  readonly journal_length: number;
  readonly transcript_length: number;
  readonly damage: string | null;
}

type Box = 'mailbox' | 'outbox';

/** Puts writes into the tables. It runs in a transaction, and checks a write before it changes anything. */
export class Writer {
  readonly #path: string;
  readonly #statements;

  constructor(database: Database, path: string) {
    this.#path = path;
    this.#statements = statementsFor(database);
  }

  /** @throws why the write is refused */
  store(write: Write): Stored {
    const row = this.#statements.find.get(write.id) as Row | undefined;
    if (row !== undefined && row.damage !== null) {
      throw damagedRecord(write.id, row.damage, placeOf(this.#path));
    }
    if (write.type === 'create') {
      if (row !== undefined) throw recordExists(write.id);
      return this.#create(write);
    }
    if (row === undefined) throw unknownRecord(write.id);
    if (write.type === 'commit') return this.#commit(write, row);
    return write.type === 'enqueue' ? this.#enqueue(write, row) : this.#acknowledge(write, row);
  }

  #create(write: CreateWrite): Stored {
    const { origin, status, ended, timers, snapshot, mailbox, outbox } = write;
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
      letters: mailbox.length + outbox.length,
      journalLength: write.journal.length,
      transcriptLength: write.transcript.length,
    });
    const record = Number(lastInsertRowid);
    this.#snapshot(record, snapshot);
    this.#timers(record, timers);
    this.#letters(record, 'mailbox', mailbox);
    this.#letters(record, 'outbox', outbox);
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

  #commit(write: CommitWrite, row: Row): Stored {
    this.#check(write, row);
    const { number: record } = row;
    const { remove, commit } = this.#statements;
    let { letters } = row;
    for (const letter of write.handled) letters -= remove.run(record, 'mailbox', letter).changes;
    for (const letter of write.settled) letters -= remove.run(record, 'outbox', letter).changes;
    this.#letters(record, 'outbox', write.effects);
    if (write.snapshot !== undefined) this.#snapshot(record, write.snapshot);
    const timers = write.timers === undefined ? row.timers : timersText(write.timers);
    if (timers !== row.timers) this.#timers(record, write.timers ?? []);
    const committed = this.#append(write, row, row.revision + 1);
    commit.run(
      write.updatedAt ?? row.updated_at,
      write.status ?? row.status,
      write.ended === undefined ? row.ended : Number(write.ended),
      committed.revision,
      timers,
      letters + write.effects.length,
      committed.journalLength,
      committed.transcriptLength,
      record,
    );
    return { isNew: true, committed };
  }

  #check({ id, expectedRevision, ended, handled, settled, effects }: CommitWrite, row: Row): void {
    const { number: record } = row;
    if (row.revision !== expectedRevision) throw conflict(id, expectedRevision, row.revision);
    if (row.ended === 1 && ended === false) throw beginsAgain(id);
    for (const letter of handled) {
      if (!this.#has(record, 'mailbox', letter)) throw notWaiting(id, letter);
    }
    for (const { id: letter } of effects) {
      if (!settled.includes(letter) && this.#has(record, 'outbox', letter)) {
        throw isInOutbox(id, letter);
      }
    }
  }

  #enqueue(write: EnqueueWrite, row: Row): Stored {
    const { number: record, revision, letters } = row;
    if (this.#has(record, 'mailbox', write.letter.id)) return storedBefore(row);
    if (row.ended === 1) throw recordEnded(write.id);
    this.#letters(record, 'mailbox', [write.letter]);
    return this.#count(row, letters + 1, this.#append(write, row, revision));
  }

  #acknowledge(write: AcknowledgeWrite, row: Row): Stored {
    const { number: record, revision, letters } = row;
    const { changes } = this.#statements.remove.run(record, 'outbox', write.letter);
    if (changes === 0) return storedBefore(row);
    return this.#count(row, letters - 1, this.#append(write, row, revision));
  }

  #count({ number: record }: Row, letters: number, committed: Committed): Stored {
    const { journalLength, transcriptLength } = committed;
    this.#statements.count.run(letters, journalLength, transcriptLength, record);
    return { isNew: true, committed };
  }

  #has(record: number, box: Box, letter: string): boolean {
    return this.#statements.has.get(record, box, letter) !== undefined;
  }

  #snapshot(record: number, text: string): void {
    this.#statements.snapshot.run(record, crc32(text), text);
  }

  #timers(record: number, timers: readonly Timer[]): void {
    const { forgetTimers, timer } = this.#statements;
    forgetTimers.run(record);
    for (const [position, { key, at }] of timers.entries()) timer.run(at, record, position, key);
  }

  #letters(record: number, box: Box, letters: readonly LetterText[]): void {
    for (const { id, body } of letters) {
      this.#statements.letter.run({ record, box, id, sum: crc32(body), body });
    }
  }

  #append(lines: LineTexts, row: Row, revision: number): Committed {
    const { journal_length: journalLength, transcript_length: transcriptLength } = row;
    this.#lines(row.number, lines, journalLength, transcriptLength);
    return {
      revision,
      journalLength: journalLength + lines.journal.length,
      transcriptLength: transcriptLength + lines.transcript.length,
    };
  }

  #lines(record: number, lines: LineTexts, journalFrom: number, transcriptFrom: number): void {
    const { line } = this.#statements;
    for (const [index, text] of lines.journal.entries()) {
      line.run(record, 'journal', journalFrom + index, crc32(text), text);
    }
    for (const [index, text] of lines.transcript.entries()) {
      line.run(record, 'transcript', transcriptFrom + index, crc32(text), text);
    }
  }
}

/** Where a damaged record is: it stays in its row. */
export function placeOf(path: string): string {
  return `the table "records" of ${path}`;
}

function storedBefore(row: Row): Stored {
  const { revision, journal_length: journalLength, transcript_length: transcriptLength } = row;
  return { isNew: false, committed: { revision, journalLength, transcriptLength } };
}

function timersText(timers: readonly Timer[]): string {
  return timers.length === 0 ? '[]' : JSON.stringify(timers);
}

function statementsFor(database: Database) {
  return {
    find: database.prepare(
      `SELECT number, status, ended, revision, updated_at, timers, letters, journal_length,
         transcript_length, damage
       FROM records WHERE id = ?`,
    ),
    create: database.prepare(
      `INSERT INTO records (id, kind, contact, parent, definition, version, created_at, updated_at,
         status, ended, revision, timers, letters, journal_length, transcript_length)
       VALUES (@id, @kind, @contact, @parent, @definition, @version, @createdAt, @createdAt,
         @status, @ended, 1, @timers, @letters, @journalLength, @transcriptLength)`,
    ),
    commit: database.prepare(
      `UPDATE records SET updated_at = ?, status = ?, ended = ?, revision = ?, timers = ?,
         letters = ?, journal_length = ?, transcript_length = ?
       WHERE number = ?`,
    ),
    count: database.prepare(
      'UPDATE records SET letters = ?, journal_length = ?, transcript_length = ? WHERE number = ?',
    ),
    snapshot: database.prepare(
      'INSERT OR REPLACE INTO snapshots (record, sum, text) VALUES (?, ?, ?)',
    ),
    forgetTimers: database.prepare('DELETE FROM timers WHERE record = ?'),
    timer: database.prepare('INSERT INTO timers (at, record, position, key) VALUES (?, ?, ?, ?)'),
    has: database.prepare('SELECT 1 FROM letters WHERE record = ? AND box = ? AND id = ?'),
    letter: database.prepare(
      `INSERT INTO letters (record, box, place, id, sum, body)
       SELECT @record, @box,
         (SELECT coalesce(max(place), 0) + 1 FROM letters WHERE record = @record AND box = @box),
         @id, @sum, @body`,
    ),
    remove: database.prepare('DELETE FROM letters WHERE record = ? AND box = ? AND id = ?'),
    line: database.prepare(
      'INSERT INTO lines (record, kind, position, sum, text) VALUES (?, ?, ?, ?, ?)',
    ),
  };
}
