import { rmSync } from 'node:fs';
import { checkedName } from '../check.ts';
import type { Change, Committed, NewRecord, Receipt, Store } from '../contract.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  type Write,
  type WriteResult,
} from '../write.ts';
import { backupDatabase } from './backup.ts';
import { compactDatabase } from './compact.ts';
import { OpenSqliteReader } from './open-reader.ts';
import type { Ownership } from '../ownership.ts';
import type { RecordDamageError } from '../record-damage-error.ts';
import type { SqliteStoreParts } from './parts.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import { closeKeepingLog } from './write-ahead-log.ts';

/**
 * An open SQLite store. Owns the database, the group commit, the checkpoint timer and the owner lock.
 *
 * States: open → closing → closed. A closing store commits the waiting writes and copies the log into the database.
 */
export class OpenSqliteStore extends OpenSqliteReader implements Store {
  readonly #parts: SqliteStoreParts;
  /** The owner lock (H6). */
  readonly ownership: Ownership;
  #compacting: Promise<void> | undefined;

  constructor(parts: SqliteStoreParts) {
    super(parts.file.path, parts.database, parts.system);
    this.#parts = parts;
    this.ownership = parts.lock;
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record))).committed;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change))).committed;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    const { isNew, committed } = await this.#write(acknowledgeWrite(receipt));
    return isNew ? committed : undefined;
  }

  async delete(id: string): Promise<boolean> {
    const name = checkedName(id, 'id');
    this.checkOpen();
    this.#parts.log.check();
    const isDeleted = await this.#parts.group.run((writer) => writer.delete(name));
    if (isDeleted) this.forget(name);
    return isDeleted;
  }

  /** Concurrent calls share one compaction. */
  async compact(): Promise<undefined> {
    this.checkOpen();
    this.#compacting ??= compactDatabase(this.#parts).finally(() => {
      this.#compacting = undefined;
    });
    await this.#compacting;
  }

  async backup(target: string): Promise<void> {
    this.checkOpen();
    await backupDatabase(this.#parts, target, await this.damaged());
  }

  protected override async closeNow(): Promise<void> {
    const { database, file, lock, log, checkpoint, group } = this.#parts;
    try {
      await group.settled();
      checkpoint.stop();
      await log.close();
      // The closed file can be read on a read-only disk. A lost file is not touched.
      if (!log.isBroken()) {
        database.pragma('journal_mode = DELETE');
        rmSync(`${file.path}-mark`, { force: true });
      }
    } catch (error) {
      closeKeepingLog(database, file.path);
      throw sqliteFailure(`Closing the store ${file.path}`, error);
    } finally {
      database.close();
      file.release();
      await lock.release();
    }
  }

  protected override storing(): Promise<void> | undefined {
    return this.#parts.group.flushing;
  }

  protected override mark({ id, message }: RecordDamageError): boolean {
    const { group, onError } = this.#parts;
    try {
      group.mark(id, message);
      return true;
    } catch (error) {
      onError(sqliteFailure('Setting a damaged record aside', error));
      return false;
    }
  }

  async #write(write: Write): Promise<WriteResult> {
    const { log, group } = this.#parts;
    this.checkRecord(write.id);
    log.check();
    return group.run((writer) => writer.store(write), write.type !== 'acknowledge');
  }
}
