import type { Database } from 'better-sqlite3';
import { isTurnLong } from '@dramaturg/compiler/machine';
import type { Awaitable } from '../checked-reader.ts';
import type { Verification } from '../contract.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { TableReader } from '../table-reader.ts';
import { isBusy, sqliteFailure } from './sqlite-errors.ts';
import { SqliteTables } from './tables.ts';
import { verifyDatabase } from './verify.ts';
import { locationOf } from './writer.ts';

/** A SQLite store that is open for reading. */
export class OpenSqliteReader extends TableReader {
  protected readonly path: string;
  protected readonly database: Database;
  protected readonly records: SqliteTables;
  readonly #system: System;

  constructor(path: string, database: Database, system: System) {
    super(locationOf(path));
    this.path = path;
    this.database = database;
    this.#system = system;
    this.records = new SqliteTables(database, path, {
      onDamage: (damage) => void this.setAside(damage),
      yield: () => this.#pause(),
    });
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyDatabase(this.database, this.path, async (done, all) => {
        onProgress?.(done, all);
        await this.#pause();
      });
    } catch (error) {
      throw this.failure(error);
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

  protected override async reading<Value>(read: () => Awaitable<Value>): Promise<Value> {
    if (isTurnLong()) await this.#pause();
    return super.reading(read);
  }

  protected async closeNow(): Promise<void> {
    this.database.close();
  }

  protected failure(error: unknown): StoreError {
    if (!isBusy(error)) return sqliteFailure(`Reading the store ${this.path}`, error);
    return new StoreError(
      'store/owned',
      `A process has opened the store ${this.path} since it was opened for reading. Ask that process, or read again when it has stopped.`,
      { cause: error },
    );
  }

  /** Gives other work its turn. @throws `store/closed` */
  async #pause(): Promise<void> {
    await this.#system.scheduler.yield();
    this.checkOpen();
  }
}
