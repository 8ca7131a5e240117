import type { StoreError } from '@dramaturg/host';
import { TableReader, type Verification } from '@dramaturg/host/store';
import type { Database } from '../connection/database.ts';
import { PostgresTables } from './tables.ts';
import { verifyStore } from './verify.ts';

/** A store that is open for reading. */
export class OpenPostgresReader extends TableReader {
  protected readonly database: Database;
  protected readonly tables: PostgresTables;

  constructor(database: Database) {
    super(tableOf(database));
    this.database = database;
    this.tables = new PostgresTables(database, this.where, (damage) => void this.setAside(damage));
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyStore(this.database, this.where, (done, all) => {
        onProgress?.(done, all);
        this.checkOpen();
      });
    } catch (error) {
      throw this.failure(error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    try {
      const [found] = await this.database.scan<{ size: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS size
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [this.database.place.schema],
      );
      return found!.size;
    } catch (error) {
      throw this.failure(error);
    }
  }

  protected async closeNow(): Promise<void> {
    await this.database.close();
  }

  protected failure(error: unknown): StoreError {
    return this.database.failure('Reading the store', error);
  }
}

/** The table of damaged records, which stay in their rows. */
function tableOf({ place: { label } }: Database): string {
  return `the table "records" of ${label}`;
}
