import { Low } from 'lowdb';
import { join } from 'node:path';
import { type FileSystem, readIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { unknownRecord } from '../errors.ts';
import { MutableRecord } from '../record-state.ts';
import type { LineTexts, Write } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import { LineFile } from './line-file.ts';
import { type LineRanges, linesIn } from './line-ranges.ts';
import { type DeleteWrite, type LogEntry, type LogLine, parseLine, writeOf } from './log/line.ts';
import type { Log } from './log/log.ts';
import type { Durability } from './log/log-options.ts';
import { RecordFile, type RecordFileContent } from './record-file.ts';
import type { RecordPlaces } from './record-places.ts';

export interface RecordFolderParts {
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly log: Log;
  readonly places: RecordPlaces;
  /** The epoch of this owner. */
  readonly epoch: number;
  /** Line files of this epoch and earlier ones are copied instead of appended to. */
  readonly fence: number;
  /** Names a new path for an incomplete file. */
  readonly draft: () => string;
}

/** The lines of a record that are only in the log. */
type Tails = { readonly [Kind in keyof LineTexts]: string[] };

/** In a folder that a person has moved back: its writes that were only in the log. */
export const savedLogName = 'log.jsonl';

/**
 * Owns the files of one record, and the record in memory:
 *
 * - `record.json`: the record, for people and for a fast start.
 * - `journal.jsonl`, `transcript.jsonl`: its lines.
 *
 * A write is stored when its line is in the log of the store. Compaction moves the writes of the record from the log into
 * its files. A crash at any step of it is safe: first it appends the lines, which are ignored until `record.json` counts
 * them; then it replaces `record.json` atomically. Writes in the log that `record.json` includes are ignored.
 *
 * Appends run one at a time, also during a compaction. After a failed append, the record in memory is invalid until `load`
 * has run again.
 */
export class RecordFolder {
  readonly id: string;
  readonly path: string;
  readonly #parts: RecordFolderParts;
  readonly #lineFiles: { readonly [Kind in keyof LineTexts]: LineFile };
  #record: MutableRecord | undefined;
  #stored: StoredFiles = noFiles;
  #firstWrite = 0;
  #tails: Tails = { journal: [], transcript: [] };
  /** True when the files are of a deleted record. */
  #isStale = false;
  /** Counts the deletions, for a compaction that runs at the same time. */
  #deletions = 0;

  constructor(id: string, path: string, parts: RecordFolderParts) {
    this.id = id;
    this.path = path;
    this.#parts = parts;
    this.#lineFiles = {
      journal: new LineFile(join(path, 'journal.jsonl'), parts.files),
      transcript: new LineFile(join(path, 'transcript.jsonl'), parts.files),
    };
  }

  /** The record with all applied writes; undefined before its creation and after its deletion. */
  get held(): MutableRecord | undefined {
    return this.#record;
  }

  /** The number of the write that created the record, when it was read. */
  get firstWrite(): number {
    return this.#firstWrite;
  }

  /**
   * Reads the record from its files and the log.
   *
   * @throws `DamageError`
   */
  async load(): Promise<void> {
    const { compacted = 0, writes = [] } = this.#parts.places.get(this.id) ?? {};
    const isDeleted = writes[0]?.isDeletion === true;
    const lines: LogLine[] = [];
    for (const place of isDeleted ? writes.slice(1) : writes) {
      const line = await place.segment.read(place);
      if (line.position.number !== place.number || line.position.id !== this.id)
        throw new DamageError('The log has another write in the place of one of its writes.');
      lines.push(line);
      if (lines.length % linesPerSlice === 0) await this.#parts.scheduler.yield();
    }
    const content = isDeleted ? null : await this.#read();
    if (content === null && compacted > 0)
      throw new DamageError('Its file record.json is missing.');
    if (content !== null && content.writes < compacted)
      throw new DamageError('Its file record.json was replaced by an older one.');
    this.#replay(content, lines);
    this.#isStale = isDeleted;
  }

  /**
   * Reads a folder that a person has repaired and moved back, with the writes that were saved from the log.
   *
   * @throws `DamageError`
   */
  async restore(): Promise<void> {
    const content = await this.#read();
    const saved = await readIfExists(join(this.path, savedLogName), this.#parts.files);
    const lines = saved?.toString().split('\n').filter(Boolean) ?? [];
    const parsed = lines.map((line) => {
      const found = parseLine(Buffer.from(line));
      if (found?.position.id === this.id) return found;
      throw new DamageError(`Its file ${savedLogName} differs from what was written.`);
    });
    this.#replay(content, parsed);
    if (this.#record === undefined) throw new DamageError('Its file record.json is missing.');
  }

  /**
   * Applies a write in memory, so that the next one is checked against it. It is stored after `append`. When that
   * fails, the record must be loaded again.
   *
   * @returns undefined when the write is stored already
   * @throws the error with which the write is refused
   */
  apply(write: Write | DeleteWrite): LogEntry | undefined {
    const record = this.#record;
    if (write.type === 'delete') {
      if (record === undefined) return undefined;
      this.#clear();
      return { write, letters: false };
    }
    if (record === undefined) {
      if (write.type !== 'create') throw unknownRecord(write.id);
      this.#record = MutableRecord.created(write);
    } else {
      if (!record.accepts(write)) return undefined;
      if (write.type !== 'create') record.apply(write);
    }
    for (const kind of lineKinds) for (const line of write[kind]) this.#tails[kind].push(line);
    const { length } = write.journal;
    const from = this.#record!.summary.journalLength - length;
    return { write, letters: hasLetters(this.#record!), ...(length > 0 ? { from } : {}) };
  }

  /**
   * Stores applied writes.
   *
   * @returns the number of the first one. The others follow it.
   */
  async append(entries: readonly LogEntry[], durability: Durability): Promise<number> {
    return this.#parts.log.append(entries, durability);
  }

  /** @throws `DamageError` when the file differs from what was written */
  async lines(kind: keyof LineTexts, from: number, limit: number): Promise<string[]> {
    const ranges = this.#stored[kind];
    const stored = linesIn(ranges);
    // Before the file is read: a compaction may move lines from the tail into it at the same time.
    const tail = this.#tails[kind].slice(
      Math.max(0, from - stored),
      Math.max(0, from + limit - stored),
    );
    return [...(await this.#lineFiles[kind].read(ranges, from, limit)), ...tail];
  }

  /**
   * Reads all lines and compares their checksums.
   *
   * @returns the number of lines
   * @throws `DamageError`
   */
  async verifyLines(): Promise<number> {
    let count = 0;
    for (const kind of lineKinds) {
      const all = linesIn(this.#stored[kind]);
      for (let from = 0; from < all; from += linesPerSlice) {
        await this.#lineFiles[kind].read(this.#stored[kind], from, linesPerSlice);
        if (from + linesPerSlice < all) await this.#parts.scheduler.yield();
      }
      count += all + this.#tails[kind].length;
    }
    return count;
  }

  /**
   * Moves the writes that are stored now into the files. More writes may be appended at the same time. It must be called
   * between appends, and not while another compaction runs.
   *
   * @param writes the number that `record.json` gets: of the last write of the record, or a later one
   */
  async compact(writes = this.#parts.places.get(this.id)?.last ?? 0): Promise<void> {
    const { files, scheduler, places, log, epoch, fence, draft } = this.#parts;
    const record = this.#record && new MutableRecord(this.#record);
    const firstWrite = places.get(this.id)?.firstWrite ?? this.#firstWrite;
    const [deletions, stored, isStale] = [this.#deletions, this.#stored, this.#isStale];
    const tails = { journal: [...this.#tails.journal], transcript: [...this.#tails.transcript] };
    // Otherwise a power cut could keep this write and lose the ones before it.
    if (log.flushed < (places.get(this.id)?.last ?? 0)) await log.flush();
    if (isStale) {
      await files.remove(this.path);
      if (deletions === this.#deletions) this.#isStale = false;
    }
    if (record === undefined) {
      places.setCompacted(this.id, writes, undefined);
      return;
    }
    // The device has the name of the folder before the log forgets the writes: see `Compaction`.
    if (stored === noFiles) await files.makeFolder(this.path);
    const copies = stored !== noFiles && stored.epoch <= fence;
    const append = async (kind: keyof LineTexts) => {
      let ranges = stored[kind];
      for (let from = 0; from < tails[kind].length; from += linesPerAppend) {
        const lines = tails[kind].slice(from, from + linesPerAppend);
        // The first slice makes the copy, and the others are appended to it.
        const by = copies && from === 0 ? draft() : undefined;
        ranges = await this.#lineFiles[kind].append(ranges, lines, by);
        await scheduler.yield();
      }
      return ranges;
    };
    const [journal, transcript] = [await append('journal'), await append('transcript')];
    // The device has the names before `record.json` refers to them.
    if (isNew(stored.journal, journal) || isNew(stored.transcript, transcript))
      await files.flushFolder(this.path);
    const content = { epoch, journal, transcript };
    const file = new RecordFile(this.path, files, draft);
    await new Low<RecordFileContent | null>(file, {
      ...content,
      writes,
      firstWrite,
      state: record,
    }).write();
    places.setCompacted(this.id, writes, file.length);
    if (deletions !== this.#deletions) return;
    this.#stored = content;
    for (const kind of lineKinds) this.#tails[kind].splice(0, tails[kind].length);
  }

  #clear(): void {
    this.#record = undefined;
    this.#stored = noFiles;
    this.#tails = { journal: [], transcript: [] };
    this.#isStale = true;
    this.#deletions += 1;
  }

  async #read(): Promise<RecordFileContent | null> {
    const { files, draft } = this.#parts;
    const file = new RecordFile(this.path, files, draft);
    const low = new Low<RecordFileContent | null>(file, null);
    await low.read();
    const id = low.data?.state.summary.id;
    if (id !== undefined && id !== this.id)
      throw new DamageError('Its file record.json is of another record.');
    return low.data;
  }

  #replay(content: RecordFileContent | null, lines: readonly LogLine[]): void {
    this.#stored = content ?? noFiles;
    this.#tails = { journal: [], transcript: [] };
    this.#record = content === null ? undefined : new MutableRecord(content.state);
    this.#firstWrite = content?.firstWrite ?? lines[0]?.position.number ?? 0;
    let last = content?.writes ?? 0;
    for (const line of lines) {
      if (line.position.number <= last) continue;
      if (line.before !== last) throw new DamageError(`Its write ${line.before} is missing.`);
      last = line.position.number;
      replay(this, line);
    }
  }
}

type StoredFiles = Omit<RecordFileContent, 'state' | 'writes' | 'firstWrite'>;

const noFiles: StoredFiles = {
  epoch: 0,
  journal: [],
  transcript: [],
};
const lineKinds = ['journal', 'transcript'] as const;

/** Lines that are read before other work gets its turn. */
const linesPerSlice = 500;
/** Lines that are appended to a file at once. Each append waits for the device. */
const linesPerAppend = 10_000;

export function hasLetters({ outbox }: MutableRecord): boolean {
  return outbox.size > 0;
}

function isNew(before: LineRanges, after: LineRanges): boolean {
  return before.length === 0 && after.length > 0;
}

function replay(folder: RecordFolder, line: LogLine): void {
  if (folder.held === undefined && line.fields.create === undefined)
    throw new DamageError('Its creation is missing.');
  try {
    if (folder.apply(writeOf(line)) !== undefined) return;
  } catch (cause) {
    throw new DamageError('A write in the log contradicts the writes before it.', { cause });
  }
  throw new DamageError('A write is in the log twice.');
}
