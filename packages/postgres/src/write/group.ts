import {
  type AcknowledgeWrite,
  changedColumns,
  checkCommit,
  type CommitWrite,
  committedIn,
  createdColumns,
  type CreateWrite,
  damagedRecord,
  type LetterText,
  type LineTexts,
  type PartText,
  RecordDamageError,
  recordExists,
  unknownRecord,
  type Write,
  type WriteResult,
} from '@dramaturg/host/store';
import type { Database } from '../connection/database.ts';
import {
  checkRecord,
  nameOf,
  recordColumns,
  type RecordRow,
  recordRow,
  storedName,
  sumOfRecord,
} from '../rows.ts';

/** The changes of a group to one record. The arrays of the group are made from it. */
export interface RecordChange {
  readonly known: KnownRecord;
  /** The revision of the stored row; undefined for a record that the group creates. */
  readonly base: number | undefined;
  snapshot: string | undefined;
  /** Stored places of parts that are removed. */
  readonly removedParts: Set<number>;
  /** Changed parts, by key. */
  readonly parts: Map<string, { readonly place: number; readonly text: string }>;
  /** Stored places of letters that are removed. */
  readonly removedLetters: Set<number>;
  /** Added letters, by id. */
  readonly letters: Map<string, { readonly place: number; readonly text: string }>;
  readonly lines: LinesRow[];
  /** The highest places that are stored. Higher places are of this group. */
  readonly lastStored: { readonly letter: number; readonly part: number };
}

/**
 * A group of writes to be stored in one transaction. Each write is checked when it is added, against the records after the
 * earlier writes. A refused write changes nothing. Several writes to one record become one change of its rows.
 */
export class Group {
  /** Changed records by number, in the order of their first write. */
  readonly changes = new Map<number, RecordChange>();
  /** Numbers of stored records to delete. */
  readonly deleted: number[] = [];
  /** Records to mark as damaged. */
  readonly marks: { readonly number: number; readonly reason: string }[] = [];
  /** Ids of all records that writes of the group named. */
  readonly touched = new Set<string>();
  readonly #records: Map<string, KnownRecord>;
  readonly #where: string;
  readonly #next: { readonly number: () => number; readonly position: () => number };
  /** The journal lines that were added last. */
  #lastJournal: LinesRow | undefined;

  /**
   * @param records the existing records that the writes name
   * @param where the table, for messages about damaged records
   * @param next gives the numbers of new records and the positions of journal lines
   */
  constructor(
    records: Map<string, KnownRecord>,
    where: string,
    next: { readonly number: () => number; readonly position: () => number },
  ) {
    this.#records = records;
    this.#where = where;
    this.#next = next;
  }

  get isEmpty(): boolean {
    return this.changes.size + this.deleted.length + this.marks.length === 0;
  }

  /** The records after the group, by id. */
  get records(): ReadonlyMap<string, KnownRecord> {
    return this.#records;
  }

  /**
   * @param position of its journal lines in the feed before a crash of the server
   * @throws a `StoreError` when the write is refused
   */
  store(write: Write, position?: number): WriteResult {
    const known = this.#find(write.id);
    if (write.type === 'create') {
      if (known !== undefined) throw recordExists(write.id);
      return this.#create(write);
    }
    if (known === undefined) throw unknownRecord(write.id);
    return write.type === 'commit'
      ? this.#commit(write, known)
      : this.#acknowledge(write, known, position);
  }

  /**
   * Deletes a record, damaged or not.
   *
   * @returns false when there is no record with this id
   */
  delete(id: string): boolean {
    this.touched.add(id);
    const known = this.#records.get(id);
    if (known === undefined) return false;
    const { number } = known.row;
    const change = this.changes.get(number);
    this.changes.delete(number);
    if (change === undefined || change.base !== undefined) this.deleted.push(number);
    this.#records.delete(id);
    return true;
  }

  /** Marks a record as damaged, if it exists. */
  markDamaged(id: string, reason: string): void {
    this.touched.add(id);
    const known = this.#records.get(id);
    if (known === undefined) return;
    this.marks.push({ number: known.row.number, reason });
    known.row = { ...known.row, damage: reason };
  }

  #find(id: string): KnownRecord | undefined {
    this.touched.add(id);
    const known = this.#records.get(id);
    if (known !== undefined && known.row.damage !== null)
      throw damagedRecord(id, known.row.damage, this.#where);
    return known;
  }

  #create(write: CreateWrite): WriteResult {
    const row: RecordRow = {
      ...createdColumns(this.#next.number(), write),
      ended: write.ended,
      last_letter: 0,
      letter_count: 0,
      last_part: 0,
      part_count: 0,
      journal_length: 0,
      transcript_length: 0,
      damage: null,
      sum: null,
    };
    const known = { row, letters: new Map(), parts: new Map() };
    const change = newChange(known, undefined);
    this.changes.set(row.number, change);
    this.#records.set(write.id, known);
    change.snapshot = write.snapshot;
    this.#setParts(change, write.parts);
    this.#addLetters(change, write.outbox);
    const position = this.#addLines(change, write);
    return { isNew: true, committed: { ...committedIn(known.row), ...position } };
  }

  #commit(write: CommitWrite, known: KnownRecord): WriteResult {
    const { row, letters } = known;
    checkCommit(write, row, (letter) => letters.has(letter));
    const change = this.#changeOf(known);
    for (const letter of write.settled) this.#removeLetter(change, letter);
    for (const key of write.parts.removed) this.#removePart(change, key);
    this.#setParts(change, write.parts.set);
    this.#addLetters(change, write.effects);
    if (write.snapshot !== undefined) change.snapshot = write.snapshot;
    const position = this.#addLines(change, write);
    known.row = {
      ...known.row,
      ...changedColumns(write, row),
      ended: write.ended ?? row.ended,
    };
    return { isNew: true, committed: { ...committedIn(known.row), ...position } };
  }

  #acknowledge(write: AcknowledgeWrite, known: KnownRecord, restored?: number): WriteResult {
    const { letter } = write;
    if (!known.letters.has(letter)) return { isNew: false, committed: committedIn(known.row) };
    const change = this.#changeOf(known);
    this.#removeLetter(change, letter);
    const position = this.#addLines(change, write, restored);
    return { isNew: true, committed: { ...committedIn(known.row), ...position } };
  }

  #changeOf(known: KnownRecord): RecordChange {
    let change = this.changes.get(known.row.number);
    if (change === undefined) {
      change = newChange(known, known.row.revision);
      this.changes.set(known.row.number, change);
    }
    return change;
  }

  #addLetters({ known, letters }: RecordChange, added: readonly LetterText[]): void {
    let { last_letter: place } = known.row;
    for (const { id, body } of added) {
      place += 1;
      known.letters.set(id, place);
      letters.set(id, { place, text: body });
    }
    known.row = { ...known.row, last_letter: place, letter_count: known.letters.size };
  }

  #removeLetter({ known, letters, removedLetters, lastStored }: RecordChange, id: string): void {
    const place = known.letters.get(id);
    if (place === undefined) return;
    known.letters.delete(id);
    letters.delete(id);
    if (place <= lastStored.letter) removedLetters.add(place);
    known.row = { ...known.row, letter_count: known.letters.size };
  }

  #setParts({ known, parts }: RecordChange, set: readonly PartText[]): void {
    let { last_part: last } = known.row;
    for (const { key, value } of set) {
      let place = known.parts.get(key);
      if (place === undefined) {
        last += 1;
        place = last;
        known.parts.set(key, place);
      }
      parts.set(key, { place, text: value });
    }
    known.row = { ...known.row, last_part: last, part_count: known.parts.size };
  }

  #removePart({ known, parts, removedParts, lastStored }: RecordChange, key: string): void {
    const place = known.parts.get(key);
    if (place === undefined) return;
    known.parts.delete(key);
    parts.delete(key);
    if (place <= lastStored.part) removedParts.add(place);
    known.row = { ...known.row, part_count: known.parts.size };
  }

  /** @returns the position in the feed */
  #addLines(
    { known, lines }: RecordChange,
    { journal, transcript }: LineTexts,
    restored?: number,
  ): Pick<WriteResult['committed'], 'position'> {
    const { row } = known;
    const position = this.#addJournal(lines, row.journal_length, journal, restored);
    addTranscript(lines, row.transcript_length, transcript);
    known.row = {
      ...row,
      journal_length: row.journal_length + journal.length,
      transcript_length: row.transcript_length + transcript.length,
    };
    return position === undefined ? {} : { position };
  }

  /** Lines that follow each other in the feed share a row. */
  #addJournal(
    lines: LinesRow[],
    first: number,
    texts: readonly string[],
    restored: number | undefined,
  ): number | undefined {
    if (texts.length === 0) return undefined;
    const last = this.#lastJournal;
    const isSame = last !== undefined && (restored ?? last.position) === last.position;
    if (isSame && lines.includes(last) && isNext(last, first)) {
      last.texts.push(...texts);
      return last.position;
    }
    const position = restored ?? this.#next.position();
    this.#lastJournal = { kind: 'journal', first, texts: [...texts], position };
    lines.push(this.#lastJournal);
    return position;
  }
}

/** The row with its checksum, after all writes of the group were added. */
export function finishedRow({ known }: RecordChange): RecordRow {
  known.row = { ...known.row, sum: sumOfRecord(known.row) };
  return known.row;
}

function newChange(known: KnownRecord, base: number | undefined): RecordChange {
  return {
    known,
    base,
    snapshot: undefined,
    removedParts: new Set(),
    parts: new Map(),
    removedLetters: new Set(),
    letters: new Map(),
    lines: [],
    lastStored: { letter: known.row.last_letter, part: known.row.last_part },
  };
}

/** Lines of one record that follow each other. */
interface LinesRow {
  readonly kind: keyof LineTexts;
  readonly first: number;
  readonly texts: string[];
  /** For journal lines: the position in the feed. */
  readonly position?: number;
}

/** Whether the line with the number `first` directly follows the row. */
function isNext(row: LinesRow, first: number): boolean {
  return row.first + row.texts.length === first;
}

/** Lines of one record that follow each other in a group share a row. */
function addTranscript(lines: LinesRow[], first: number, texts: readonly string[]): void {
  if (texts.length === 0) return;
  const kind = 'transcript';
  const last = lines.find((row) => row.kind === kind && isNext(row, first));
  if (last === undefined) lines.push({ kind, first, texts: [...texts] });
  else last.texts.push(...texts);
}

/** The owner's copy of a record, by which it accepts or refuses writes. No other process writes to the record. */
interface KnownRecord {
  row: RecordRow;
  /** The places of the letters in the outbox, by id. */
  readonly letters: Map<string, number>;
  /** The places of the parts, by key. */
  readonly parts: Map<string, number>;
}

/** Maximum number of records that the owner knows. Each takes about one kilobyte. */
const recordsMax = 20_000;

/** The records that the owner wrote to last. Missing records are not remembered. */
export class KnownRecords {
  readonly #records = new Map<string, KnownRecord>();

  get(id: string): KnownRecord | undefined {
    return this.#records.get(id);
  }

  /** Also marks a record as most recently used. */
  set(id: string, record: KnownRecord): void {
    this.#records.delete(id);
    this.#records.set(id, record);
  }

  delete(id: string): void {
    this.#records.delete(id);
  }

  clear(): void {
    this.#records.clear();
  }

  /** Forgets the least recently used records. */
  trim(): void {
    for (const id of this.#records.keys()) {
      if (this.#records.size <= recordsMax) return;
      this.#records.delete(id);
    }
  }
}

interface NamesRow {
  readonly record: number;
  readonly kind: 'letter' | 'part';
  readonly place: number;
  readonly name: string;
}

/**
 * Loads the known fields of records.
 *
 * @returns the records that exist, by id
 */
export async function loadKnown(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, KnownRecord>> {
  const found = await database.transaction(
    'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    async ({ run }) => {
      const rows = await run<RecordRow & Record<string, unknown>>(
        `SELECT ${recordColumns} FROM {schema}.records WHERE id = ANY ($1::text[])`,
        [textList(ids.map(storedName))],
      );
      if (rows.length === 0) return { rows, names: [] };
      const names = await run<NamesRow & Record<string, unknown>>(
        `SELECT record, 'letter' AS kind, place, id AS name FROM {schema}.letters WHERE record = ANY ($1::bigint[])
         UNION ALL
         SELECT record, 'part', place, key FROM {schema}.parts WHERE record = ANY ($1::bigint[])
         ORDER BY record, place`,
        [textList(rows.map(({ number }) => String(number)))],
      );
      return { rows, names };
    },
  );
  const known = new Map<number, KnownRecord>();
  for (const stored of found.rows)
    known.set(stored.number, { row: recordRow(stored), letters: new Map(), parts: new Map() });
  for (const { record, kind, place, name } of found.names)
    known.get(record)?.[kind === 'letter' ? 'letters' : 'parts'].set(nameOf(name), place);
  return new Map(Array.from(known.values(), (record) => [record.row.id, record]));
}

/** @throws `RecordDamageError` when the rows of a record do not fit together */
export function checkKnown({ row, letters, parts }: KnownRecord): void {
  checkRecord(row);
  if (letters.size !== row.letter_count)
    throw new RecordDamageError(row.id, `It has ${letters.size} letters of ${row.letter_count}.`);
  if (parts.size !== row.part_count)
    throw new RecordDamageError(row.id, `It has ${parts.size} parts of ${row.part_count}.`);
}

/** Writes an array in the text format of Postgres. */
function textList(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
