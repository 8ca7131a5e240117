import { join } from 'node:path';
import { isTurnLong } from '@dramaturg/compiler/machine';
import { type Awaitable, CheckedReader } from '../checked-reader.ts';
import type { DamagedRecord, Verification } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists, readIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { damagedRecord, systemFailure } from '../errors.ts';
import type { Records } from '../records.ts';
import { CheckedFile, readThrough } from './checked-file.ts';
import type { DamagedRecords } from './damaged-records.ts';
import { readableLines } from './journal.ts';
import { type Manifest, manifestName, readManifest } from './layout.ts';
import { fileNameOf, recordFormat } from './record-file.ts';

/** The file of a record. */
export interface RecordFile {
  /** The number of the last write that it includes. */
  readonly lastWrite: number;
  readonly bytes: number;
}

/** The parts for reading an open store. */
export interface LowdbReaderParts {
  /** The folder of the store. */
  readonly path: string;
  /** Its data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  readonly records: Records;
  /** The files of records, by their ids. */
  readonly recordFiles: Map<string, RecordFile>;
  readonly damaged: DamagedRecords;
}

/** The reading part of a lowdb store. All records are in memory: files are read when the store is opened, and by `verify`. */
export class LowdbReader extends CheckedReader {
  protected readonly parts: LowdbReaderParts;
  protected override readonly records: Records;
  protected manifest: Manifest;

  constructor(parts: LowdbReaderParts) {
    super();
    this.parts = parts;
    this.records = parts.records;
    this.manifest = parts.manifest;
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    return this.parts.damaged.all();
  }

  async verify(
    onProgress: (done: number, all: number) => void = () => undefined,
  ): Promise<Verification> {
    this.checkOpen();
    try {
      return await this.exclusive(() => this.#verify(onProgress));
    } catch (error) {
      throw systemFailure(`Verifying the store ${this.parts.path}`, error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    try {
      return await sizeOf(this.parts.path, this.parts.files, this.parts.scheduler);
    } catch (error) {
      throw systemFailure(`Measuring the store ${this.parts.path}`, error);
    }
  }

  protected async closeNow(): Promise<void> {}

  protected override async reading<Value>(read: () => Awaitable<Value>): Promise<Value> {
    if (isTurnLong()) await this.parts.scheduler.yield();
    return super.reading(read);
  }

  /** Runs a job while no file of a record changes. */
  protected exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return job();
  }

  protected override checkRecord(id: string): void {
    super.checkRecord(id);
    const found = this.parts.damaged.get(id);
    if (found !== undefined) throw damagedRecord(id, found.reason, found.where);
  }

  async #verify(onProgress: (done: number, all: number) => void): Promise<Verification> {
    const found = [...this.parts.damaged.all(), ...(await this.#damagedStoreFiles())];
    const ids = [...this.records.ids()];
    let [records, lines] = [0, 0];
    for (const [count, id] of ids.entries()) {
      const where = join(this.parts.data, 'records', `${fileNameOf(id)}.json`);
      const file = this.parts.recordFiles.get(id);
      const reason = file === undefined ? undefined : await this.#damageIn(where, file);
      const record = this.records.get(id);
      if (reason !== undefined) found.push({ id, reason, where });
      else if (record !== undefined) {
        records += 1;
        lines += record.summary.journalLength + record.summary.transcriptLength;
      }
      if (count % progressStep !== 0) continue;
      onProgress(count, ids.length);
      await this.parts.scheduler.yield();
    }
    onProgress(ids.length, ids.length);
    return { records, lines, damaged: found };
  }

  /** @returns the damage of the file of a record; undefined when it is sound */
  async #damageIn(path: string, { lastWrite }: RecordFile): Promise<string | undefined> {
    try {
      const { files, scheduler } = this.parts;
      const file = new CheckedFile(path, files, recordFormat, '', scheduler);
      const found = await readThrough(file);
      if (found === undefined) return 'Its file is missing.';
      return found.lastWrite === lastWrite ? undefined : 'Its file was replaced by another one.';
    } catch (error) {
      if (error instanceof DamageError) return error.message;
      throw error;
    }
  }

  /** The damage of files that do not belong to a single record. */
  async #damagedStoreFiles(): Promise<readonly DamagedRecord[]> {
    const found: DamagedRecord[] = [];
    const [{ folded, journal }, { number }] = [this.manifest, this.records];
    try {
      if ((await readManifest(this.parts.path, this.parts.files)) === undefined)
        throw new DamageError('The file is missing.');
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      found.push({ reason: error.message, where: join(this.parts.path, manifestName) });
    }
    const where = join(this.parts.data, journal);
    const bytes = journal === '' ? undefined : await readIfExists(where, this.parts.files);
    const lines = await readableLines(bytes ?? Buffer.alloc(0), this.parts.scheduler);
    const isOwn = (line: { readonly number: number }) =>
      line.number > folded && line.number <= number;
    const lost = number - folded - lines.filter(isOwn).length;
    if (lost > 0) found.push({ reason: `${lost} writes cannot be read.`, where });
    return found;
  }
}

const progressStep = 64;

/** How many names are looked up before other work gets its turn. */
const namesPerSlice = 128;

/** The bytes of all files in a folder. */
async function sizeOf(path: string, files: FileSystem, scheduler: Scheduler): Promise<number> {
  const status = await files.stat(path);
  if (status?.isFolder !== true) return status?.size ?? 0;
  let sum = 0;
  for (const [count, name] of (await listIfExists(path, files)).entries()) {
    if (count % namesPerSlice === namesPerSlice - 1) await scheduler.yield();
    sum += await sizeOf(join(path, name), files, scheduler);
  }
  return sum;
}
