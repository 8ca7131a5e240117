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
 * The files of one record:
 *
 * - `log-a.jsonl`, `log-b.jsonl`: the writes since `record.json` was written. A write has happened when its line is in
 *   one of them. They take turns: one is settled while the other takes new writes, so that no write waits for it.
 * - `record.json`: the record, for people, and for a quick start.
 * - `journal.jsonl`, `transcript.jsonl`: the lines, but for those that are in a log only.
 *
 * So a write costs one append, whatever the size of the record and the length of its journal, and the rest is written
 * when nobody waits for it. Settling moves a log into the other files, in an order that a crash may end anywhere: lines
 * first, which do not count until `record.json` says so; then `record.json`, which replaces the old one at once; then
 * the log is emptied, whose writes do not count once `record.json` includes them.
 */
export class RecordFolder {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #journal: LineFile;
  readonly #transcript: LineFile;
  #record: MutableRecord | undefined;
  /** The number of the last write. */
  #writes = 0;
  /** The one that takes new writes, and the other. */
  readonly #logs: [Log, Log];
  /** The device has the names of both logs, so that they can take turns. */
  #hasNames = false;
  /** A log that nothing may be appended to for the moment. */
  #emptying: { readonly log: Log; readonly done: Promise<void> } | undefined;
  /** How often it was appended, or tried. */
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

  /** The record with all writes that were appended; undefined when none was created. */
  get held(): MutableRecord | undefined {
    return this.#record;
  }

  /** Bytes in the logs, of writes that are to be settled. */
  get logLength(): number {
    return this.#logs[0].extended.length + this.#logs[1].extended.length;
  }

  /**
   * Reads the files. Without any there is no record: none was created, or its creation was not finished.
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
   * Takes a write in memory, so that the next one is checked against it. It has happened once it was appended; when that
   * fails, the files say what the record is, and it is loaded again.
   *
   * @returns false when it has been taken before
   * @throws why it is refused
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

  /** Appends the writes that were taken. They have happened, all of them, or none. */
  async append(writes: readonly Write[], until: Durability): Promise<void> {
    this.#appends += 1;
    const [log] = this.#logs;
    // One that cannot be emptied goes on as it is.
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
   * Moves the writes there are now out of the logs. More may be appended in the meantime. It is called when no append is
   * under way, and not again before it has ended.
   */
  async compact(): Promise<void> {
    const record = this.#record;
    if (record === undefined || this.logLength === 0) return;
    const canTurn = this.#hasNames;
    if (!canTurn) this.#disk.makeFile(join(this.#path, secondLog), 'log.make');
    else if (this.#logs[1].extended.length === 0) this.#logs.reverse();
    const settling = this.#logs[canTurn ? 1 : 0];
    const appends = this.#appends;
    const state = new MutableRecord(record);
    const writes = this.#writes;
    const extents = await this.#compactLines();
    await this.#lowdb({ writes, ...extents, state }).write();
    await this.#disk.flushFolder(this.#path, 'record.name', 'order');
    this.#journal.setExtent(extents.journal);
    this.#transcript.setExtent(extents.transcript);
    // The first time there is but one log, which has been appended to in the meantime, or waits to be.
    if (!canTurn && this.#appends !== appends) return;
    const emptied = this.#disk.empty(settling.path, 'log.empty').then(() => {
      settling.extended = emptyFile;
    });
    this.#emptying = { log: settling, done: emptied.catch(() => undefined) };
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
    // Names reach the device before `record.json` counts on them, or the other log is written to.
    if (makesFiles || !this.#hasNames) await this.#disk.flushFolder(this.#path, 'names', 'order');
    this.#hasNames = true;
    return extents;
  }

  /** Makes the folder with its first log. The flushes of the names and of the log, at once, cost little more than one. */
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

  /** An empty folder is no record, and is taken away when the store is opened, if not now. */
  #removeUnfinished(reason: unknown): unknown {
    try {
      this.#disk.remove(this.#path, 'folder.remove');
    } catch {
      // The reason for which the record was not made is the one to tell.
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

/** There may be something behind: what was being written when the process ended. */
const emptyFile: FileExtent = { length: 0 };

const emptyLog: ReadLog = { writes: [], length: 0 };

interface Log {
  readonly path: string;
  extended: FileExtent;
}

/** The more is written, the more will be; a record that is written now and then takes no more than it needs. */
function reserveFor({ extended }: Log): number {
  return Math.min(extended.length, reserveMax);
}

const reserveMax = 1 << 18;

const firstLog = 'log-a.jsonl';
const secondLog = 'log-b.jsonl';

/** Files that a record has only once it was settled for the first time. */
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
    throw new DamageError('A write in its log does not follow from those before.', { cause });
  }
  throw new DamageError('A write in its log was made before.');
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
