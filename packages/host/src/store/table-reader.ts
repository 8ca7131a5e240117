import { CheckedReader, type Awaitable, type StoredRecords } from './checked-reader.ts';
import type { DamagedRecord } from './contract.ts';
import { damagedRecord, type StoreError } from './errors.ts';
import { RecordDamageError } from './record-damage-error.ts';

/** Reads the tables of a SQL store. Damage of a record throws a RecordDamageError. */
export interface Tables extends StoredRecords {
  /** The records that are marked as damaged in their rows. */
  damaged(): Awaitable<{ readonly id: string; readonly reason: string }[]>;
}

/** A SQL store that is open for reading. Keeps no record in memory. Owns the list of damaged records that are not marked. */
export abstract class TableReader extends CheckedReader {
  /** The place of damaged records, for messages. */
  protected readonly where: string;
  protected abstract override readonly records: Tables;
  /** The reasons of damaged records that are not marked in their row, by id. */
  readonly #unmarked = new Map<string, string>();

  constructor(where: string) {
    super();
    this.where = where;
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    const reasons = new Map(this.#unmarked);
    for (const { id, reason } of await this.reading(() => this.records.damaged()))
      reasons.set(id, reason);
    return Array.from(reasons, ([id, reason]) => ({ id, reason, where: this.where }));
  }

  /** The error for a failed read. */
  protected abstract failure(error: unknown): StoreError;

  protected override checkRecord(id: string): void {
    super.checkRecord(id);
    const reason = this.#unmarked.get(id);
    if (reason !== undefined) throw damagedRecord(id, reason, this.where);
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
   * Marks a damaged record in its row, if the store can be written to. Does not reject.
   *
   * @returns whether the row is marked
   */
  protected mark(_damage: RecordDamageError): Awaitable<boolean> {
    return false;
  }

  /** Later calls for the record reject with `store/damaged`, unless the damage may be temporary. */
  protected async setAside(damage: RecordDamageError): Promise<void> {
    const { id, message, mayPass } = damage;
    if (mayPass) return;
    this.#unmarked.set(id, message);
    if (await this.mark(damage)) this.#unmarked.delete(id);
  }

  protected override async reading<Value>(read: () => Awaitable<Value>): Promise<Value> {
    this.checkOpen();
    const storing = this.storing();
    if (storing !== undefined) {
      await storing;
      this.checkOpen();
    }
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RecordDamageError)) throw this.failure(error);
      await this.setAside(error);
      throw damagedRecord(error.id, error.message, this.where);
    }
  }
}
