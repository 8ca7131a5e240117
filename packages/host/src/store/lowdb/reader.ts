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
import {
  damagedRecord,
  type StoreError,
  storeClosed,
  systemFailure,
  unknownRecord,
} from '../errors.ts';
import { toStoreRecord } from '../record-state.ts';
import type { LineTexts } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import { folderNameOf } from './folder-name.ts';
import { LowdbRecord } from './record.ts';
import { verifyStore } from './verification.ts';
import type { LowdbReaderParts } from './reader-parts.ts';

/** The maximum number of idle records in memory. The least recently used one is evicted. */
const idleRecordsMax = 1_024;

/**
 * The reading part of an open lowdb store. Owns the index of all records and the records in use. The index is always in
 * memory; a record is loaded when it is used.
 */
export class LowdbReader implements StoreReader {
  protected readonly parts: LowdbReaderParts;
  /** The least recently used first. */
  protected readonly inUse = new Map<string, LowdbRecord>();
  #closing: Promise<void> | undefined;

  constructor(parts: LowdbReaderParts) {
    this.parts = parts;
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    const record = this.find(checkedName(id, 'id'));
    return record?.run(({ state }) => state && toStoreRecord(state));
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
      return await this.parts.feed.read(checked, this.parts.journal.stored);
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
      return await verifyStore(
        this.parts,
        (id) => this.recordAt(id, async (damage) => damage),
        (job) => this.exclusive(job),
        onProgress,
      );
    } catch (error) {
      throw systemFailure(`Verifying the store ${this.parts.path}`, error);
    }
  }

  /**
   * Reads the files of the feed.
   *
   * @throws `DamageError`
   */
  async verifyFeed(): Promise<void> {
    await this.parts.feed.verify();
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
    await this.parts.journal.close();
  }

  /** Runs a job while no file of a record changes. */
  protected exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return job();
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  /** @returns undefined when no record has this id, and none is being created */
  protected find(id: string): LowdbRecord | undefined {
    this.checkOpen();
    const { index, damaged } = this.parts;
    const found = damaged.get(id);
    if (found !== undefined) throw damagedRecord(id, found.reason, found.where);
    if (index.has(id) || this.inUse.has(id)) return this.use(id);
    return undefined;
  }

  protected use(id: string): LowdbRecord {
    const record = this.inUse.get(id) ?? this.recordAt(id);
    // Moves the record to the end: it is the most recently used one.
    this.inUse.delete(id);
    this.inUse.set(id, record);
    if (this.inUse.size > idleRecordsMax) this.#evictIdle();
    return record;
  }

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

  /** @param onDamage sets the record aside by default */
  protected recordAt(
    id: string,
    onDamage: (damage: DamageError) => Promise<Error> = (damage) => this.setAside(id, damage),
  ): LowdbRecord {
    const folder = join(this.parts.data, 'records', folderNameOf(id));
    return new LowdbRecord(id, folder, { ...this.parts, onDamage });
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    const record = this.find(checkedName(id, 'id'));
    if (record === undefined) throw unknownRecord(id);
    const { from, limit } = checkedRange(range);
    return record
      .run(async (each) => {
        if (each.state === undefined) return undefined;
        const lines = await each.lines(kind, from, limit);
        return lines.map((line) => parseLine(line, kind));
      })
      .then((lines) => {
        if (lines === undefined) throw unknownRecord(id);
        return lines;
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
