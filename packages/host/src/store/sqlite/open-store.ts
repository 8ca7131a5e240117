import type { Database } from 'better-sqlite3';
import type { Json } from '@dramaturg/compiler';
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
import { damagedRecord, type StoreError, storeClosed, unknownRecord } from '../errors.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  enqueueWrite,
  type LineTexts,
  type Write,
  type WriteResult,
} from '../write.ts';
import { RecordDamageError } from './record-damage-error.ts';
import type { GroupCommit } from './group-commit.ts';
import type { IdleCheckpoint } from './idle-checkpoint.ts';
import type { Reader } from './reader.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';
import { locationOf } from './writer.ts';

export interface SqliteStoreParts {
  readonly path: string;
  readonly database: Database;
  readonly lock: OwnerLock;
  readonly log: WriteAheadLog;
  readonly idleCheckpoint: IdleCheckpoint;
  readonly group: GroupCommit;
  readonly reader: Reader;
  readonly onError: (error: StoreError) => void;
}

/**
 * An open SQLite store. Owns the database, the group commit, the checkpoint timer and the owner lock. No record is kept
 * in memory.
 *
 * States: open → closing → closed. A closing store commits the waiting writes and flushes the log.
 */
export class OpenSqliteStore implements Store {
  readonly #parts: SqliteStoreParts;
  /** The reasons of damaged records that could not be marked in their row, by id. */
  readonly #unmarked = new Map<string, string>();
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteStoreParts) {
    this.#parts = parts;
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
    this.#checkRecord(checkedName(id, 'id'));
    return this.#read((reader) => reader.record(id));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.#checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#readMany((reader) => reader.list(filter, after, limit));
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.#checkOpen();
    const [dueBefore, timersMax] = [checkedBefore(before), checkedLimit(limit)];
    return this.#readMany((reader) => reader.due(dueBefore, timersMax));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.#checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#read((reader) => reader.pending(after, limit));
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.#checkOpen();
    const where = locationOf(this.#parts.path);
    const unmarked = Array.from(this.#unmarked, ([id, reason]) => ({ id, reason, where }));
    const marked = this.#read((reader) => reader.damaged());
    return [...marked.map((record) => ({ ...record, where })), ...unmarked];
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { database, lock, log, idleCheckpoint, group, path } = this.#parts;
    try {
      group.commitWaiting();
      idleCheckpoint.stop();
      await log.close();
      database.close();
    } catch (error) {
      throw sqliteFailure(`Closing the store ${path}`, error);
    } finally {
      database.close();
      lock.release();
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  async #write(write: Write): Promise<WriteResult> {
    const { lock, log, group } = this.#parts;
    this.#checkRecord(write.id);
    lock.confirm();
    log.check();
    return group.store(write);
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    this.#checkRecord(checkedName(id, 'id'));
    const checked = checkedRange(range);
    const lines = this.#read((reader) => reader.lines(id, kind, checked));
    if (lines === undefined) throw unknownRecord(id);
    return lines;
  }

  #checkRecord(id: string): void {
    this.#checkOpen();
    const reason = this.#unmarked.get(id);
    if (reason !== undefined) throw damagedRecord(id, reason, locationOf(this.#parts.path));
  }

  /** Reads again after a damaged record was marked, so that the others are served. */
  #readMany<Value>(read: (reader: Reader) => Value): Value {
    for (;;) {
      try {
        return read(this.#parts.reader);
      } catch (error) {
        if (!(error instanceof RecordDamageError) || this.#markDamaged(error) === undefined) {
          throw sqliteFailure('Reading the store', error);
        }
      }
    }
  }

  #read<Value>(read: (reader: Reader) => Value): Value {
    try {
      return read(this.#parts.reader);
    } catch (error) {
      if (!(error instanceof RecordDamageError)) throw sqliteFailure('Reading the store', error);
      throw this.#markDamaged(error) ?? sqliteFailure('Reading the store', error);
    }
  }

  /**
   * Marks the row of a damaged record. Later calls for the record reject with `store/damaged`.
   *
   * @returns undefined when the record was found damaged before
   */
  #markDamaged({ id, message: reason }: RecordDamageError): StoreError | undefined {
    const { path, group, onError } = this.#parts;
    if (this.#unmarked.has(id)) return undefined;
    try {
      group.mark(id, reason);
    } catch (error) {
      this.#unmarked.set(id, reason);
      onError(sqliteFailure('Setting a damaged record aside', error));
    }
    return damagedRecord(id, reason, locationOf(path));
  }
}
