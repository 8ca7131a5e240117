import type { Json } from '@dramaturg/compiler';
import { join } from 'node:path';
import { checkedBefore, checkedLimit, checkedName, checkedPage, checkedRange } from '../check.ts';
import type {
  Change,
  Committed,
  DamagedRecord,
  Delivery,
  DueTimer,
  LineRange,
  NewRecord,
  Page,
  PageRequest,
  Receipt,
  RecordFilter,
  RecordSummary,
  Store,
  StoreRecord,
} from '../contract.ts';
import type { Disk } from '../disk/disk.ts';
import { damagedRecord, type StoreError, storeClosed, unknownRecord } from '../errors.ts';
import type { RecordIndex } from '../index/record-index.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import { toStoreRecord } from '../record-state.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  enqueueWrite,
  type LineTexts,
  type Write,
  type WriteResult,
} from '../write.ts';
import { DamageError } from '../damage-error.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { RecordFolder } from './record-folder.ts';
import { RecordInUse } from './record-in-use.ts';
import { type ScanResult, hasLetters } from './scan.ts';
import { CompactionQueue } from './compaction-queue.ts';

export interface LowdbStoreParts {
  readonly path: string;
  readonly disk: Disk;
  readonly lock: OwnerLock;
  readonly damaged: DamagedFolder;
  readonly onError: (error: StoreError) => void;
  readonly logSize: number;
}

/** The maximum number of idle records in memory. The least recently used one is evicted. */
const idleRecordsMax = 2_048;

/**
 * An open lowdb store. Owns the index of all records, the records in use, the compaction queue and the owner lock. The
 * index is always in memory; a record is loaded when it is used.
 *
 * States: open → closing → closed. A closing store finishes its running calls and compacts all logs.
 */
export class OpenLowdbStore implements Store {
  readonly #parts: LowdbStoreParts;
  readonly #index: RecordIndex;
  /** The least recently used first. */
  readonly #inUse = new Map<string, RecordInUse>();
  readonly #compactionQueue: CompactionQueue;
  #closing: Promise<void> | undefined;

  constructor(parts: LowdbStoreParts, { index, uncompacted }: ScanResult) {
    this.#parts = parts;
    this.#index = index;
    this.#compactionQueue = new CompactionQueue((id) => this.#use(id).compact(), uncompacted);
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record))).committed;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change))).committed;
  }

  async enqueue(delivery: Delivery): Promise<boolean> {
    return (await this.#write(enqueueWrite(delivery))).isNew;
  }

  async acknowledge(receipt: Receipt): Promise<boolean> {
    return (await this.#write(acknowledgeWrite(receipt))).isNew;
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    const record = this.#find(checkedName(id, 'id'));
    return record?.read(({ held }) => held && toStoreRecord(held));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.#checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#index.list(filter, after, limit);
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.#checkOpen();
    return this.#index.due(checkedBefore(before), checkedLimit(limit));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.#checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#index.pending(after, limit);
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.#checkOpen();
    return this.#parts.damaged.all();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { disk, lock } = this.#parts;
    try {
      await Promise.all(Array.from(this.#inUse.values(), (record) => record.whenIdle()));
      await this.#compactionQueue.close(!disk.isBroken);
      await disk.flushAll();
    } finally {
      lock.release();
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  async #write(write: Write): Promise<WriteResult> {
    const { disk, lock } = this.#parts;
    const record = this.#find(write.id) ?? this.#recordToCreate(write);
    lock.confirm();
    disk.check();
    return record.write(write);
  }

  #recordToCreate({ type, id }: Write): RecordInUse {
    if (type !== 'create') throw unknownRecord(id);
    return this.#use(id);
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    const record = this.#find(checkedName(id, 'id'));
    if (record === undefined) throw unknownRecord(id);
    const { from, limit } = checkedRange(range);
    return record.read((folder) => {
      if (folder.held === undefined) throw unknownRecord(id);
      return folder.lines(kind, from, limit).map((line) => parseLine(line, kind));
    });
  }

  /** @returns undefined when no record has this id, and none is being created */
  #find(id: string): RecordInUse | undefined {
    this.#checkOpen();
    if (this.#index.has(id) || this.#inUse.has(id)) return this.#use(id);
    const damaged = this.#parts.damaged.get(id);
    if (damaged !== undefined) throw damagedRecord(id, damaged.reason, damaged.where);
    return undefined;
  }

  #use(id: string): RecordInUse {
    const record = this.#inUse.get(id) ?? this.#createInUse(id);
    // Moves the record to the end: it is the most recently used one.
    this.#inUse.delete(id);
    this.#inUse.set(id, record);
    if (this.#inUse.size > idleRecordsMax) this.#evictIdle();
    return record;
  }

  #createInUse(id: string): RecordInUse {
    const { path, disk, onError, logSize } = this.#parts;
    const folder = join(path, 'records', folderNameOf(id));
    return new RecordInUse(id, new RecordFolder(folder, disk), logSize, {
      onStored: ({ held }) => {
        this.#index.put(held!.summary, hasLetters(held!));
        this.#compactionQueue.add(id);
      },
      onDamage: (damage) => this.#setAside(id, folder, damage),
      onError,
    });
  }

  #evictIdle(): void {
    for (const [id, record] of this.#inUse) {
      if (record.isBusy) continue;
      this.#inUse.delete(id);
      return;
    }
  }

  async #setAside(id: string, folder: string, damage: DamageError): Promise<StoreError> {
    const { damaged, onError } = this.#parts;
    this.#index.remove(id);
    this.#inUse.delete(id);
    this.#compactionQueue.delete(id);
    const { record, error } = await damaged.setAside(folder, folderNameOf(id), damage, id);
    if (error !== undefined) onError(error);
    return damagedRecord(id, record.reason, record.where);
  }
}

function parseLine(line: string, kind: keyof LineTexts): Json {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DamageError(`A line of its ${kind} is not JSON.`, { cause });
  }
}
