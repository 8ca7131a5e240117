import { DamageError } from '../damage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { quoted, systemFailure, unknownRecord } from '../errors.ts';
import { MutableRecord, toCommitted } from '../record-state.ts';
import type { LineTexts, Write, WriteResult } from '../write.ts';
import { type Journal, readLine } from './journal.ts';
import { type DeleteWrite, type JournalEntry, writeOf } from './journal-line.ts';
import type { Places } from './places.ts';
import {
  type Chunk,
  lineKinds,
  type Lines,
  noLines,
  readChunk,
  readRecord,
  writeChunk,
  writeRecord,
} from './record-file.ts';
import { toDamageError } from './to-damage-error.ts';

export interface RecordParts {
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly journal: Journal;
  readonly places: Places;
  /** Names a new path for an incomplete file. */
  readonly draft: () => string;
  /** Sets a record aside. Its callers get the returned error. */
  readonly onDamage: (damage: DamageError) => Promise<Error>;
}

/** Lines of this size are moved into a chunk. */
const chunkBytesMin = 1 << 16;
const chunkBytesMax = 1 << 19;
/** Lines of the journal that are read before other work gets its turn. */
const linesPerSlice = 500;

/**
 * A record that is being read and written (H3 begins here). Owns its files, the queue of its calls and its one worker. The worker
 * handles the queue in groups: writes that are called during a flush are appended together afterwards and share the next flush.
 *
 * The record is its `record.json`, and its writes in the journal after that. Folding it moves these writes into the file. A crash
 * at any step is safe: chunks are not read until `record.json` names them, it is replaced atomically, and the journal keeps the
 * writes until all records are folded.
 *
 * The files are read by the first call, and again after a failure.
 */
export class LowdbRecord {
  readonly #id: string;
  readonly #folder: string;
  readonly #parts: RecordParts;
  #queue: Call[] = [];
  #worker: Promise<void> | undefined;
  #isLoaded = false;
  /** False when a folder with its name is of an earlier record with this id. */
  #hasFiles = false;
  #state: MutableRecord | undefined;
  #chunks: readonly Chunk[] = [];
  #lines: Lines = noLines();

  constructor(id: string, folder: string, parts: RecordParts) {
    this.#id = id;
    this.#folder = folder;
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#worker !== undefined;
  }

  /** The record; undefined before its creation and after its deletion. To be called in `run`. */
  get state(): MutableRecord | undefined {
    return this.#state;
  }

  write(write: Write | DeleteWrite): Promise<WriteResult> {
    return new Promise((resolve, reject) => this.#call({ write, resolve, reject }));
  }

  /** Runs a job after all writes that were called before. No other call is handled at the same time. */
  run<Value>(job: (record: LowdbRecord) => Value | Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#call({ job: async () => resolve(await job(this)), reject });
    });
  }

  /** Waits until all calls are answered. */
  async whenIdle(): Promise<void> {
    await this.#worker;
  }

  /** Lines as JSON texts. To be called in `run`. */
  async lines(kind: keyof LineTexts, from: number, limit: number): Promise<string[]> {
    const found: string[] = [];
    const end = from + limit;
    let first = 0;
    for (const chunk of this.#chunks) {
      const last = first + chunk[kind];
      if (last > from && first < end) {
        const lines = await readChunk(this.#folder, chunk, this.#parts.files);
        // Some milliseconds: readers of many pages read it again and again.
        await this.#parts.scheduler.yield();
        for (const line of lines[kind].slice(Math.max(0, from - first), end - first))
          found.push(line);
      }
      first = last;
    }
    const rest = this.#lines[kind].slice(Math.max(0, from - first), Math.max(0, end - first));
    return found.length === 0 ? rest : [...found, ...rest];
  }

  /**
   * Reads all chunks. To be called in `run`.
   *
   * @returns the number of lines
   */
  async verifyLines(): Promise<number> {
    for (const chunk of this.#chunks) {
      await readChunk(this.#folder, chunk, this.#parts.files);
      await this.#parts.scheduler.yield();
    }
    const { journalLength = 0, transcriptLength = 0 } = this.#state?.summary ?? {};
    return journalLength + transcriptLength;
  }

  /** Moves the writes of the record into its files, or removes the files of a deleted one. Rejects with an error of the system. */
  async fold(): Promise<void> {
    // A failure does not answer the calls that wait for the record.
    const failed = await this.run(() =>
      this.#fold().then(
        () => undefined,
        (cause: unknown) => ({ cause }),
      ),
    );
    if (failed !== undefined) throw failed.cause;
  }

  #call(call: Call): void {
    this.#queue.push(call);
    this.#worker ??= this.#answerCalls();
  }

  async #answerCalls(): Promise<void> {
    // Collects all calls that the caller makes synchronously.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const isWrite = 'write' in this.#queue[0]!;
      const end = this.#queue.findIndex((call) => 'write' in call !== isWrite);
      const calls = this.#queue.splice(0, end === -1 ? this.#queue.length : end);
      try {
        if (!this.#isLoaded) await this.#load();
        if (isWrite) await this.#store(calls as WriteCall[]);
        else for (const call of calls) await (call as JobCall).job();
      } catch (error) {
        this.#isLoaded = false;
        const damage = toDamageError(error);
        const reason =
          damage === undefined
            ? systemFailure(`Reading the record ${quoted(this.#id)}`, error)
            : await this.#parts.onDamage(damage);
        // Calls that are settled already keep their result.
        for (const call of [...calls, ...this.#queue.splice(0)]) call.reject(reason);
      }
    }
    // In the same step as the check above: otherwise a call made in between would wait forever.
    this.#worker = undefined;
  }

  /** @throws `DamageError` */
  async #load(): Promise<void> {
    const { files, places, scheduler } = this.#parts;
    const { firstWrite = 0, folded = 0, writes = [] } = places.get(this.#id) ?? {};
    const found =
      firstWrite === 0 || firstWrite === Infinity
        ? undefined
        : await readRecord(this.#folder, this.#id, files);
    // A file of an earlier record with this id is removed when the journal is folded.
    const stored =
      found?.firstWrite === firstWrite || (folded > 0 && found?.isEdited === true)
        ? found
        : undefined;
    if (found !== undefined && stored === undefined && folded > 0)
      throw new DamageError('Its file record.json is of an earlier record with this id.');
    if (folded > 0 && found === undefined)
      throw new DamageError('Its file record.json is missing.');
    if (stored !== undefined && stored.lastWrite < folded && !stored.isEdited)
      throw new DamageError('Its file record.json was replaced by an older one.');
    this.#hasFiles = stored !== undefined;
    this.#state = stored && new MutableRecord(stored.state);
    this.#chunks = stored?.chunks ?? [];
    this.#lines = stored?.lines ?? noLines();
    let last = stored?.lastWrite ?? 0;
    for (const [index, place] of writes.entries()) {
      if (place.number <= last) continue;
      const line = await readLine(this.#id, place);
      if (line.before !== last) throw new DamageError(`Its write ${line.before} is missing.`);
      last = line.number;
      this.#replay(writeOf(line));
      if (index % linesPerSlice === linesPerSlice - 1) await scheduler.yield();
    }
    this.#isLoaded = true;
  }

  #replay(write: Write | DeleteWrite): void {
    if (this.#state === undefined && write.type !== 'create')
      throw new DamageError('Its creation is missing.');
    try {
      if (this.#apply(write) !== undefined) return;
    } catch (cause) {
      throw new DamageError('A write in the journal contradicts the writes before it.', { cause });
    }
    throw new DamageError('A write is in the journal twice.');
  }

  /**
   * Applies a write in memory, so that the next one is checked against it.
   *
   * @returns undefined when the write is stored already
   * @throws the error with which the write is refused
   */
  #apply(write: Write | DeleteWrite): JournalEntry | undefined {
    const state = this.#state;
    if (write.type === 'delete') {
      if (state === undefined) return undefined;
      [this.#state, this.#chunks, this.#lines] = [undefined, [], noLines()];
      this.#hasFiles = false;
      return { write, summary: undefined, letters: false };
    }
    if (state === undefined) {
      if (write.type !== 'create') throw unknownRecord(write.id);
      this.#state = MutableRecord.created(write);
    } else {
      if (!state.accepts(write)) return undefined;
      if (write.type !== 'create') state.apply(write);
    }
    for (const kind of lineKinds) for (const line of write[kind]) this.#lines[kind].push(line);
    const { summary, outbox } = this.#state!;
    return { write, summary, letters: outbox.size > 0 };
  }

  async #store(calls: readonly WriteCall[]): Promise<void> {
    const entries: JournalEntry[] = [];
    const answers = calls.map((call) => this.#answerOf(call, entries));
    let first = 0;
    if (entries.length > 0) {
      try {
        // A receipt does not wait for a flush: see `Store.acknowledge`.
        const isReceipt = entries.every(({ write }) => write.type === 'acknowledge');
        first = await this.#parts.journal.append(entries, isReceipt ? 'system' : 'device');
      } catch (error) {
        this.#isLoaded = false;
        const failure = systemFailure(`Writing the record ${quoted(this.#id)}`, error);
        // All calls fail, even refused ones: a write may have been refused because of one that now is not stored.
        for (const { reject } of calls) reject(failure);
        return;
      }
    }
    for (const answer of answers) answer(first);
  }

  /** @returns a function that answers the call, to be run once the writes before it are stored, with the number of the first one */
  #answerOf(
    { write, resolve, reject }: WriteCall,
    entries: JournalEntry[],
  ): (first: number) => void {
    try {
      const entry = this.#apply(write);
      const place = entries.length;
      if (entry !== undefined) entries.push(entry);
      const committed = toCommitted(this.#state?.summary ?? noCommit);
      const hasLines = entry !== undefined && 'journal' in write && write.journal.length > 0;
      return (first) => {
        const position = hasLines ? { position: first + place } : {};
        resolve({ isNew: entry !== undefined, committed: { ...committed, ...position } });
      };
    } catch (error) {
      return () => reject(error);
    }
  }

  async #fold(): Promise<void> {
    const { files, places, journal, draft, scheduler } = this.#parts;
    const place = places.get(this.#id);
    if (place === undefined) return;
    // Otherwise a power cut could keep this write and lose the ones before it.
    if (journal.flushed < place.lastWrite) await journal.flush();
    const { firstWrite, lastWrite, writes } = place;
    if (!this.#hasFiles) await files.remove(this.#folder);
    if (this.#state === undefined || writes.length === 0) return;
    if (!this.#hasFiles) await files.makeFolder(this.#folder);
    let [chunks, lines] = [this.#chunks, this.#lines];
    for (let part = 1; ; part += 1) {
      const full = fullChunk(lines);
      if (full === undefined) break;
      const name = `lines-${lastWrite}-${part}.json`;
      chunks = [...chunks, await writeChunk(this.#folder, name, full, files, draft)];
      lines = withoutFirst(lines, full);
      await scheduler.yield();
    }
    const stored = { lastWrite, firstWrite, chunks, lines, state: this.#state };
    await writeRecord(this.#folder, stored, files, draft);
    [this.#chunks, this.#lines, this.#hasFiles] = [chunks, lines, true];
    places.setFolded(this.#id, firstWrite, lastWrite);
  }
}

/** The first lines, if all are too many for `record.json`. */
function fullChunk(lines: Lines): Lines | undefined {
  const chunk = noLines();
  let bytes = 0;
  for (const kind of lineKinds)
    for (const line of lines[kind]) {
      chunk[kind].push(line);
      bytes += line.length;
      if (bytes >= chunkBytesMax) return chunk;
    }
  return bytes >= chunkBytesMin ? chunk : undefined;
}

function withoutFirst(lines: Lines, { journal, transcript }: Lines): Lines {
  return {
    journal: lines.journal.slice(journal.length),
    transcript: lines.transcript.slice(transcript.length),
  };
}

/** Of a deleted record. */
const noCommit = { revision: 0, journalLength: 0, transcriptLength: 0 };

type Reject = (error: unknown) => void;

interface WriteCall {
  readonly write: Write | DeleteWrite;
  readonly resolve: (stored: WriteResult) => void;
  readonly reject: Reject;
}

interface JobCall {
  readonly job: () => Promise<void>;
  readonly reject: Reject;
}

type Call = WriteCall | JobCall;
