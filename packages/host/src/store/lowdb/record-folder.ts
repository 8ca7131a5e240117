import { Low } from 'lowdb';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disk, FileExtent, Durability } from '../disk/disk.ts';
import { systemCodeOf, unknownRecord } from '../errors.ts';
import { MutableRecord } from '../record-state.ts';
import type { LineTexts, Write } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import { type LineExtent, emptyExtent } from './line-extent.ts';
import { LineFile } from './line-file.ts';
import { type LoggedWrite, logLine, type ReadLog, readLog } from './log.ts';
import { RecordFile, type RecordFileContent } from './record-file.ts';

/**
 * Owns the files of one record:
 *
 * - `log-a.jsonl`, `log-b.jsonl`: the writes since `record.json` was written. A write is stored when its line is in one
 *   of them. They take turns: one is compacted while the other receives new writes, so writes do not wait.
 * - `record.json`: the record, for people and for a fast start.
 * - `journal.jsonl`, `transcript.jsonl`: the lines, except those that are only in a log.
 *
 * A write costs one append, whatever the size of the record and the length of its journal. Compaction moves a log into
 * the other files. A crash at any step of it is safe: first it appends the lines, which are ignored until `record.json`
 * counts them; then it replaces `record.json` atomically; then it empties the log, whose writes are ignored once
 * `record.json` includes them.
 *
 * States: not loaded → loaded → compacting → loaded. Appends run one at a time, also during a compaction. After a
 * failed append, the record in memory is invalid until `load` has run again.
 */
export class RecordFolder {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #journal: LineFile;
  readonly #transcript: LineFile;
  #record: MutableRecord | undefined;
  /** The number of the last write. */
  #writes = 0;
  /** First the log that receives new writes, then the other one. */
  readonly #logs: [Log, Log];
  /** True when the device has the names of both logs, so that they can take turns. */
  #hasNames = false;
  /** The log that is being emptied: appends to it wait. */
  #emptying: { readonly log: Log; readonly done: Promise<void> } | undefined;
  /** The number of appends, including failed ones. */
  #appends = 0;

  constructor(path: string, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
    this.#journal = new LineFile(join(path, 'journal.jsonl'), disk);
    this.#transcript = new LineFile(join(path, 'transcript.jsonl'), disk);
    this.#logs = [
      { path: join(path, firstLog), extended: emptyFile },
      { path: join(path, secondLog), extended: emptyFile },
    ];
  }

  /** The record with all applied writes; undefined before its creation. */
  get held(): MutableRecord | undefined {
    return this.#record;
  }

  /** Bytes in the logs that are not compacted yet. */
  get logLength(): number {
    return this.#logs[0].extended.length + this.#logs[1].extended.length;
  }

  /**
   * Reads the files. Without any file there is no record: it was not created, or its creation was interrupted.
   *
   * @throws `DamageError`
   */
  async load(): Promise<void> {
    const names = fileNames(this.#path);
    const low = this.#lowdb(null);
    if (names.includes('record.json')) await low.read();
    const id = low.data?.state.summary.id;
    const read = (name: string, of?: string) =>
      names.includes(name) ? readLog(readFileSync(join(this.#path, name)), of) : emptyLog;
    const first = read(firstLog, id);
    const later = read(secondLog, id ?? first.writes[0]?.write.id);
    this.#hasNames = false;
    const byNumber = (one: LoggedWrite, other: LoggedWrite) => one.number - other.number;
    this.#replay(low.data, [...first.writes, ...later.writes].toSorted(byNumber));
    if (this.#record === undefined && names.some((name) => compactedFileNames.includes(name))) {
      throw new DamageError('Its file record.json is missing.');
    }
    this.#logs[0] = { path: join(this.#path, firstLog), extended: { length: first.length } };
    this.#logs[1] = { path: join(this.#path, secondLog), extended: { length: later.length } };
    if (lastNumber(later) > lastNumber(first)) this.#logs.reverse();
  }

  /**
   * Applies a write in memory, so that the next one is checked against it. It is stored after `append`. When that
   * fails, the record must be loaded again.
   *
   * @returns false when the write is stored already
   * @throws the error with which the write is refused
   */
  apply(write: Write): boolean {
    if (this.#record === undefined) {
      if (write.type !== 'create') throw unknownRecord(write.id);
      this.#record = MutableRecord.created(write);
      return true;
    }
    if (!this.#record.accepts(write)) return false;
    if (write.type !== 'create') this.#record.apply(write);
    return true;
  }

  /** Appends the applied writes to the log, atomically. */
  async append(writes: readonly Write[], until: Durability): Promise<void> {
    this.#appends += 1;
    const [log] = this.#logs;
    // When emptying fails, the log is used as it is.
    if (this.#emptying?.log === log) await this.#emptying.done;
    const line = logLine(this.#writes + 1, writes);
    log.extended =
      this.#writes === 0
        ? await this.#createFolder(log, line, until)
        : await this.#disk.append(log.path, log.extended, line, 'log', until, reserveFor(log));
    this.#writes += writes.length;
    for (const { journal, transcript } of writes) {
      this.#journal.add(journal);
      this.#transcript.add(transcript);
    }
  }

  lines(kind: keyof LineTexts, from: number, limit: number): string[] {
    return (kind === 'journal' ? this.#journal : this.#transcript).read(from, limit);
  }

  /**
   * Moves the current writes out of the logs. More writes may be appended at the same time. It must be called between
   * appends, and not while another compaction runs.
   */
  async compact(): Promise<void> {
    const record = this.#record;
    if (record === undefined || this.logLength === 0) return;
    const canTurn = this.#hasNames;
    if (!canTurn) this.#disk.makeFile(join(this.#path, secondLog), 'log.make');
    else if (this.#logs[1].extended.length === 0) this.#logs.reverse();
    const compactedLog = this.#logs[canTurn ? 1 : 0];
    const appends = this.#appends;
    const state = new MutableRecord(record);
    const writes = this.#writes;
    const extents = await this.#compactLines();
    await this.#lowdb({ writes, ...extents, state }).write();
    await this.#disk.flushFolder(this.#path, 'record.name', 'order');
    this.#journal.setExtent(extents.journal);
    this.#transcript.setExtent(extents.transcript);
    // The first compaction has only one log. It is not emptied when writes were appended to it since.
    if (!canTurn && this.#appends !== appends) return;
    const emptied = this.#disk.empty(compactedLog.path, 'log.empty').then(() => {
      compactedLog.extended = emptyFile;
    });
    this.#emptying = { log: compactedLog, done: emptied.catch(() => undefined) };
    await emptied.finally(() => {
      this.#emptying = undefined;
    });
  }

  async #compactLines(): Promise<{
    readonly journal: LineExtent;
    readonly transcript: LineExtent;
  }> {
    const [journal, transcript] = [this.#journal, this.#transcript];
    const counts = [journal.tailLength, transcript.tailLength] as const;
    const makesFiles = journal.willCreateFile || transcript.willCreateFile;
    const extents = {
      journal: await journal.compact(counts[0], 'journal'),
      transcript: await transcript.compact(counts[1], 'transcript'),
    };
    // The device needs the names before `record.json` refers to the files, and before the other log is written.
    if (makesFiles || !this.#hasNames) await this.#disk.flushFolder(this.#path, 'names', 'order');
    this.#hasNames = true;
    return extents;
  }

  /** Creates the folder with its first log. Concurrent flushes of names and log cost little more than one flush. */
  async #createFolder(log: Log, line: string, until: Durability): Promise<FileExtent> {
    this.#disk.makeFolder(this.#path, 'folder');
    const [appended, ...named] = await Promise.allSettled([
      this.#disk.append(log.path, log.extended, line, 'log', until),
      this.#disk.flushFolder(this.#path, 'folder.names', until),
      this.#disk.flushFolder(dirname(this.#path), 'folder.name', until),
    ]);
    for (const outcome of [appended, ...named]) {
      if (outcome.status === 'rejected') throw this.#removeUnfinished(outcome.reason);
    }
    return appended.status === 'fulfilled' ? appended.value : log.extended;
  }

  /** Removes the folder of a failed creation. If that fails too, the next opening of the store removes it. */
  #removeUnfinished(reason: unknown): unknown {
    try {
      this.#disk.remove(this.#path, 'folder.remove');
    } catch {
      // The caller gets the error of the creation, not of this removal.
    }
    return reason;
  }

  #lowdb(stored: RecordFileContent | null): Low<RecordFileContent | null> {
    return new Low(new RecordFile(join(this.#path, 'record.json'), this.#disk), stored);
  }

  #replay(stored: RecordFileContent | null, writes: readonly LoggedWrite[]): void {
    const { journal = emptyExtent, transcript = emptyExtent } = stored ?? {};
    let held = stored === null ? undefined : new MutableRecord(stored.state);
    let last = stored?.writes ?? 0;
    const tails = { journal: [] as string[], transcript: [] as string[] };
    for (const { number, write } of writes) {
      if (number <= last) continue;
      if (number !== last + 1) throw new DamageError(`Its write ${last + 1} is missing.`);
      held = replay(held, write);
      last = number;
      tails.journal.push(...write.journal);
      tails.transcript.push(...write.transcript);
    }
    this.#journal.load(journal, tails.journal);
    this.#transcript.load(transcript, tails.transcript);
    this.#record = held;
    this.#writes = last;
  }
}

/** The size is unknown: an incomplete write may follow when the process died. */
const emptyFile: FileExtent = { length: 0 };

const emptyLog: ReadLog = { writes: [], length: 0 };

interface Log {
  readonly path: string;
  extended: FileExtent;
}

/** Reserves space in proportion to the log, so that a record with few writes reserves little. */
function reserveFor({ extended }: Log): number {
  return Math.min(extended.length, reserveMax);
}

const reserveMax = 1 << 18;

const firstLog = 'log-a.jsonl';
const secondLog = 'log-b.jsonl';

/** Files that exist only after the first compaction. */
const compactedFileNames = [secondLog, 'journal.jsonl', 'transcript.jsonl'];

function lastNumber({ writes }: ReadLog): number {
  return writes.at(-1)?.number ?? 0;
}

function replay(held: MutableRecord | undefined, write: Write): MutableRecord {
  if (held === undefined) {
    if (write.type !== 'create') throw new DamageError('Its creation is missing.');
    return MutableRecord.created(write);
  }
  try {
    if (write.type !== 'create' && held.accepts(write)) {
      held.apply(write);
      return held;
    }
  } catch (cause) {
    throw new DamageError('A write in its log contradicts the writes before it.', { cause });
  }
  throw new DamageError('A write is in its log twice.');
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
