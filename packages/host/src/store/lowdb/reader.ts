import type { Json } from '@dramaturg/compiler';
import { join } from 'node:path';
import {
  checkedBefore,
  checkedFeed,
  checkedLimit,
  checkedName,
  checkedPage,
  checkedRange,
} from '../check.ts';
import type {
  CountFilter,
  DamagedRecord,
  DueTimer,
  FeedPage,
  FeedRequest,
  LineRange,
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  StoreReader,
  StoreRecord,
  Verification,
} from '../contract.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { damagedRecord, StoreError, storeClosed, systemFailure, unknownRecord } from '../errors.ts';
import { toStoreRecord } from '../record-state.ts';
import type { LineTexts } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import { folderNameOf } from './folder-name.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import { RecordFolder } from './record-folder.ts';
import { RecordInUse } from './record-in-use.ts';
import { verifyStore } from './verification.ts';

/** The maximum number of idle records in memory. The least recently used one is evicted. */
const idleRecordsMax = 2_048;

/**
 * The reading part of an open lowdb store. Owns the index of all records and the records in use. The index is always in
 * memory; a record is loaded when it is used.
 */
export class LowdbReader implements StoreReader {
  protected readonly parts: LowdbReaderParts;
  /** The least recently used first. */
  protected readonly inUse = new Map<string, RecordInUse>();
  #closing: Promise<void> | undefined;

  constructor(parts: LowdbReaderParts) {
    this.parts = parts;
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    const record = this.find(checkedName(id, 'id'));
    return record?.read(({ held }) => held && toStoreRecord(held));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.checkOpen();
    const { after, limit } = checkedPage(page);
    return this.parts.index.list(filter, after, limit);
  }

  async count(filter: CountFilter): Promise<number> {
    this.checkOpen();
    return this.parts.index.count(filter);
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.checkOpen();
    return this.parts.index.due(checkedBefore(before), checkedLimit(limit));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.checkOpen();
    const { after, limit } = checkedPage(page);
    return this.parts.index.pending(after, limit);
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async feed(request: FeedRequest): Promise<FeedPage> {
    this.checkOpen();
    const checked = checkedFeed(request);
    try {
      return await this.parts.feed.read(checked, (id) => this.#originOf(id));
    } catch (error) {
      throw systemFailure(`Reading the store ${this.parts.path}`, error);
    }
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    return this.parts.damaged.all();
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyStore(this.parts, (job) => this.exclusive(job), onProgress);
    } catch (error) {
      throw systemFailure(`Verifying the store ${this.parts.path}`, error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    const { path, files, scheduler } = this.parts;
    try {
      return await sizeOf(path, files, scheduler);
    } catch (error) {
      throw systemFailure(`Measuring the store ${path}`, error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.finish();
    return this.#closing;
  }

  /** Ends the reading. */
  protected async finish(): Promise<void> {
    await Promise.all(Array.from(this.inUse.values(), (record) => record.whenIdle()));
    await this.parts.log.close();
  }

  /** Runs a job while no file of a record changes. */
  protected exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return job();
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  /** @returns undefined when no record has this id, and none is being created */
  protected find(id: string): RecordInUse | undefined {
    this.checkOpen();
    const { index, damaged } = this.parts;
    if (index.has(id) || this.inUse.has(id)) return this.use(id);
    const found = damaged.get(id);
    if (found !== undefined) throw damagedRecord(id, found.reason, found.where);
    return undefined;
  }

  protected use(id: string): RecordInUse {
    const record = this.inUse.get(id) ?? this.#createInUse(id);
    // Moves the record to the end: it is the most recently used one.
    this.inUse.delete(id);
    this.inUse.set(id, record);
    if (this.inUse.size > idleRecordsMax) this.#evictIdle();
    return record;
  }

  /** Called after writes of a record were stored. */
  protected stored(_folder: RecordFolder): void {}

  /** Stops serving a record. The files stay as they are. */
  protected async setAside(id: string, damage: DamageError): Promise<StoreError> {
    const { data, index, damaged } = this.parts;
    index.remove(id);
    this.inUse.delete(id);
    const name = folderNameOf(id);
    const where = join(data, 'records', name);
    damaged.note(name, { id, reason: damage.message, where });
    return damagedRecord(id, damage.message, where);
  }

  protected folderOf(id: string): RecordFolder {
    const { data, folderParts } = this.parts;
    return new RecordFolder(id, join(data, 'records', folderNameOf(id)), folderParts);
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    const record = this.find(checkedName(id, 'id'));
    if (record === undefined) throw unknownRecord(id);
    const { from, limit } = checkedRange(range);
    return record
      .read(async (folder) => {
        if (folder.held === undefined) return undefined;
        const lines = await folder.lines(kind, from, limit);
        return lines.map((line) => parseLine(line, kind));
      })
      .then((lines) => {
        if (lines === undefined) throw unknownRecord(id);
        return lines;
      });
  }

  /** Of a record that is not in the index: it is new, or is not served. */
  async #originOf(id: string): Promise<Pick<RecordSummary, 'kind' | 'contact'> | undefined> {
    try {
      return await this.find(id)?.read(({ held }) => held?.summary);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'store/damaged') return undefined;
      throw error;
    }
  }

  #createInUse(id: string): RecordInUse {
    return new RecordInUse(id, this.folderOf(id), {
      onStored: (folder) => this.stored(folder),
      onDamage: (damage) => this.setAside(id, damage),
      onError: this.parts.onError,
    });
  }

  #evictIdle(): void {
    for (const [id, record] of this.inUse) {
      if (record.isBusy) continue;
      this.inUse.delete(id);
      return;
    }
  }
}

/** Names that are looked up before other work gets its turn. */
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

function parseLine(line: string, kind: keyof LineTexts): Json {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DamageError(`A line of its ${kind} is not JSON.`, { cause });
  }
}
