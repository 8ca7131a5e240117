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
import { recordOf } from '../state.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  enqueueWrite,
  type LineTexts,
  type Write,
} from '../write.ts';
import { DamageError } from '../damage-error.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { RecordFolder } from './record-folder.ts';
import { RecordInUse, type Stored } from './record-in-use.ts';
import { type Found, hasLetters } from './scan.ts';
import { Unsettled } from './unsettled.ts';

export interface StoreParts {
  readonly path: string;
  readonly disk: Disk;
  readonly lock: OwnerLock;
  readonly damaged: DamagedFolder;
  readonly onError: (error: StoreError) => void;
  readonly logSize: number;
}

/** Records that are kept in memory when nothing is under way with them: those that were used last. */
const mostIdle = 2_048;

/** The index of all records is in memory; the records themselves are read when they are used. */
export class OpenLowdbStore implements Store {
  readonly #parts: StoreParts;
  readonly #index: RecordIndex;
  /** In order of use. */
  readonly #inUse = new Map<string, RecordInUse>();
  readonly #unsettled: Unsettled;
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts, { index, unsettled }: Found) {
    this.#parts = parts;
    this.#index = index;
    this.#unsettled = new Unsettled((id) => this.#inUseOf(id).settle(), unsettled);
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
    const record = this.#known(checkedName(id, 'id'));
    return record?.read(({ held }) => held && recordOf(held));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.#check();
    const { after, limit } = checkedPage(page);
    return this.#index.list(filter, after, limit);
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.#check();
    return this.#index.due(checkedBefore(before), checkedLimit(limit));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.#check();
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
    this.#check();
    return this.#parts.damaged.all();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { disk, lock } = this.#parts;
    try {
      await Promise.all(Array.from(this.#inUse.values(), (record) => record.idle()));
      await this.#unsettled.close(!disk.isBroken);
      await disk.flushAll();
    } finally {
      lock.release();
    }
  }

  #check(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  async #write(write: Write): Promise<Stored> {
    const { disk, lock } = this.#parts;
    const record = this.#known(write.id) ?? this.#madeFor(write);
    lock.confirm();
    disk.check();
    return record.write(write);
  }

  #madeFor({ type, id }: Write): RecordInUse {
    if (type !== 'create') throw unknownRecord(id);
    return this.#inUseOf(id);
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    const record = this.#known(checkedName(id, 'id'));
    if (record === undefined) throw unknownRecord(id);
    const { from, limit } = checkedRange(range);
    return record.read((folder) => {
      if (folder.held === undefined) throw unknownRecord(id);
      return folder.lines(kind, from, limit).map((line) => valueIn(line, kind));
    });
  }

  /** @returns undefined when there is no record of this id, and none is being created */
  #known(id: string): RecordInUse | undefined {
    this.#check();
    if (this.#index.has(id) || this.#inUse.has(id)) return this.#inUseOf(id);
    const damaged = this.#parts.damaged.get(id);
    if (damaged !== undefined) throw damagedRecord(id, damaged.reason, damaged.where);
    return undefined;
  }

  #inUseOf(id: string): RecordInUse {
    const record = this.#inUse.get(id) ?? this.#taken(id);
    // Behind all others: it was used last.
    this.#inUse.delete(id);
    this.#inUse.set(id, record);
    if (this.#inUse.size > mostIdle) this.#forget();
    return record;
  }

  #taken(id: string): RecordInUse {
    const { path, disk, onError, logSize } = this.#parts;
    const folder = join(path, 'records', folderNameOf(id));
    return new RecordInUse(id, new RecordFolder(folder, disk), logSize, {
      onStored: ({ held }) => {
        this.#index.put(held!.summary, hasLetters(held!));
        this.#unsettled.add(id);
      },
      onDamage: (damage) => this.#setAside(id, folder, damage),
      onError,
    });
  }

  #forget(): void {
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
    this.#unsettled.delete(id);
    const { record, trouble } = await damaged.setAside(folder, folderNameOf(id), damage, id);
    if (trouble !== undefined) onError(trouble);
    return damagedRecord(id, record.reason, record.where);
  }
}

function valueIn(line: string, kind: keyof LineTexts): Json {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DamageError(`A line of its ${kind} is not JSON.`, { cause });
  }
}
