import type { Database } from 'better-sqlite3';
import type { Json } from '@dramaturg/compiler';
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
import type { System } from '../disk/system.ts';
import { damagedRecord, StoreError, storeClosed, unknownRecord } from '../errors.ts';
import type { LineTexts } from '../write.ts';
import { readInParts } from '../pages.ts';
import { FeedReader } from './feed-reader.ts';
import { Reader } from './reader.ts';
import { RecordDamageError } from '../record-damage-error.ts';
import { isBusy, sqliteFailure } from './sqlite-errors.ts';
import { verifyDatabase } from './verify.ts';
import { locationOf } from './writer.ts';

/** A SQLite store that is open for reading. No record is kept in memory. */
export class OpenSqliteReader implements StoreReader {
  protected readonly path: string;
  protected readonly database: Database;
  readonly #system: System;
  readonly #reader: Reader;
  readonly #feed: FeedReader;
  /** The reasons of damaged records that are not marked in their row, by id. */
  readonly #unmarked = new Map<string, string>();
  #closing: Promise<void> | undefined;

  constructor(path: string, database: Database, system: System) {
    this.path = path;
    this.database = database;
    this.#system = system;
    this.#reader = new Reader(database, path, (damage) => this.#setAside(damage));
    this.#feed = new FeedReader(database);
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    this.checkRecord(checkedName(id, 'id'));
    return this.#read((reader) => reader.record(id));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.checkOpen();
    return readInParts(checkedPage(page), this.#system.scheduler, (after, limit) => {
      this.checkOpen();
      return this.#read((reader) => reader.list(filter, after, limit));
    });
  }

  async count(filter: CountFilter): Promise<number> {
    this.checkOpen();
    return this.#read((reader) => reader.count(filter));
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.checkOpen();
    const [dueBefore, timersMax] = [checkedBefore(before), checkedLimit(limit)];
    return this.#read((reader) => reader.due(dueBefore, timersMax));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#read((reader) => reader.pending(after, limit));
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
    return this.#read(() => this.#feed.read(checked));
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    const where = locationOf(this.path);
    const unmarked = Array.from(this.#unmarked, ([id, reason]) => ({ id, reason, where }));
    const marked = await this.#read((reader) => reader.damaged());
    return [...marked.map((record) => ({ ...record, where })), ...unmarked];
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyDatabase(this.database, this.path, async (done, all) => {
        onProgress?.(done, all);
        await this.#system.scheduler.yield();
        this.checkOpen();
      });
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    let size = 0;
    for (const end of ['', '-wal']) {
      size += (await this.#system.files.stat(this.path + end))?.size ?? 0;
    }
    return size;
  }

  close(): Promise<void> {
    this.#closing ??= this.closeNow();
    return this.#closing;
  }

  protected async closeNow(): Promise<void> {
    this.database.close();
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  protected checkRecord(id: string): void {
    this.checkOpen();
    const reason = this.#unmarked.get(id);
    if (reason !== undefined) throw damagedRecord(id, reason, locationOf(this.path));
  }

  /** Settles when all data that a read returns is stored; undefined when it already is. Does not reject. */
  protected storing(): Promise<void> | undefined {
    return undefined;
  }

  /** Forgets that a record is damaged. */
  protected forget(id: string): void {
    this.#unmarked.delete(id);
  }

  /**
   * Marks a damaged record in its row, if the store can be written to.
   *
   * @returns false when the row is not marked
   */
  protected mark(_damage: RecordDamageError): boolean {
    return false;
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    this.checkRecord(checkedName(id, 'id'));
    const checked = checkedRange(range);
    const lines = await this.#read((reader) => reader.lines(id, kind, checked));
    if (lines === undefined) throw unknownRecord(id);
    return lines;
  }

  async #read<Value>(read: (reader: Reader) => Value): Promise<Value> {
    // SQLite also returns data that is written but not stored yet.
    const storing = this.storing();
    if (storing !== undefined) {
      await storing;
      this.checkOpen();
    }
    try {
      return read(this.#reader);
    } catch (error) {
      if (!(error instanceof RecordDamageError)) throw this.#failure(error);
      this.#setAside(error);
      throw damagedRecord(error.id, error.message, locationOf(this.path));
    }
  }

  /** Later calls for the record reject with `store/damaged`, unless the damage may be temporary. */
  #setAside(damage: RecordDamageError): void {
    if (damage.mayPass) return;
    if (!this.mark(damage)) this.#unmarked.set(damage.id, damage.message);
  }

  #failure(error: unknown): StoreError {
    if (!isBusy(error)) return sqliteFailure(`Reading the store ${this.path}`, error);
    return new StoreError(
      'store/owned',
      `A process has opened the store ${this.path} since it was opened for reading. Ask that process, or read again when it has stopped.`,
      { cause: error },
    );
  }
}
