import { type StoreError } from '@dramaturg/host';
import type { Store } from '@dramaturg/host';
import type { Change, Committed, NewRecord, Receipt } from '@dramaturg/host/store';
import {
  acknowledgeWrite,
  checkedName,
  commitWrite,
  createWrite,
  type RecordDamageError,
  type Write,
  type WriteResult,
} from '@dramaturg/host/store';
import { backupStore } from './backup.ts';
import type { Database } from './connection/database.ts';
import type { Lease } from './lease/lease.ts';
import { OpenPostgresReader } from './read/open-reader.ts';
import type { Group } from './write/group.ts';
import { GroupCommit } from './write/group-commit.ts';

export interface OpenStoreOptions {
  readonly lease: Lease;
  readonly onError: (error: StoreError) => void;
}

/**
 * An open Postgres store. Owns the connections, the group commit and the lease.
 *
 * States: open → closing → closed. A closing store stores the waiting writes.
 */
export class OpenPostgresStore extends OpenPostgresReader implements Store {
  readonly #group: GroupCommit;
  /** The lease (H6). */
  readonly ownership: Lease;
  readonly #onError: (error: StoreError) => void;

  constructor(database: Database, { lease, onError }: OpenStoreOptions) {
    super(database);
    this.ownership = lease;
    this.#onError = onError;
    this.#group = new GroupCommit(database, { lease, where: this.where });
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

  /** Ends the connections, which may be half-open, and restores what a crash of the server may have lost. */
  reconnect(): void {
    this.database.cut();
    this.#group.restoreReceipts();
  }

  async delete(id: string): Promise<boolean> {
    const name = checkedName(id, 'id');
    this.checkOpen();
    const isDeleted = await this.#group.run(name, (group) => group.delete(name));
    if (isDeleted) this.forget(name);
    return isDeleted;
  }

  /**
   * Makes the space of deleted and replaced rows free for others.
   *
   * @param rewrites writes the tables anew, and locks them until it has
   */
  async compact(rewrites = false): Promise<string> {
    await this.#maintain(rewrites ? 'VACUUM FULL' : 'VACUUM', 'Compacting the store');
    const inTables = rewrites
      ? ''
      : 'Bytes of deleted rows stay in free space of the tables until others are written there: an erase with "rewrite" runs VACUUM FULL, which removes them. ';
    return `${inTables}The write-ahead log with its archive, replicas and backups of the server keep deleted bytes until they are recycled or deleted.`;
  }

  /** Postgres does this by itself about a minute after many writes. Until then, lists may read all records. */
  analyze(): Promise<void> {
    return this.#maintain('ANALYZE', 'Analyzing the store');
  }

  /** @param target the URL of another store, or the name of a schema in the same database */
  async backup(target: string): Promise<void> {
    this.checkOpen();
    await backupStore(this.database, target);
  }

  protected override async closeNow(): Promise<void> {
    try {
      await this.#group.finish();
      await this.ownership.release();
    } catch (error) {
      throw this.database.failure('Closing the store', error);
    } finally {
      await super.closeNow();
    }
  }

  protected override async mark({ id, message }: RecordDamageError): Promise<void> {
    try {
      await this.#group.run(id, (group) => group.markDamaged(id, message));
      this.forget(id);
    } catch (error) {
      this.#onError(this.database.failure('Setting a damaged record aside', error));
    }
  }

  async #maintain(statement: 'VACUUM' | 'VACUUM FULL' | 'ANALYZE', doing: string): Promise<void> {
    this.checkOpen();
    try {
      for (const table of ['records', 'snapshots', 'parts', 'letters', 'lines'])
        await this.database.scan(`${statement} {schema}.${table}`);
    } catch (error) {
      throw this.database.failure(doing, error);
    }
  }

  async #write(write: Write): Promise<WriteResult> {
    this.checkRecord(write.id);
    // A receipt that a crash of the server loses is stored again where it was.
    let position: number | undefined;
    const apply = (group: Group) => group.store(write, position);
    const result = await this.#group.run(write.id, apply, write.type === 'acknowledge');
    position = result.committed.position;
    return result;
  }
}
