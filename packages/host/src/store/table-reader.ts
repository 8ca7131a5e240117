import type { Json } from '@dramaturg/compiler';
import { checkedBefore, checkedFeed, checkedLimit, checkedName, checkedRange } from './check.ts';
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
} from './contract.ts';
import { damagedRecord, storeClosed, type StoreError, unknownRecord } from './errors.ts';
import { RecordDamageError } from './record-damage-error.ts';
import type { LineTexts } from './write.ts';

type Awaitable<Value> = Value | Promise<Value>;

/** Reads the tables of a SQL store. Arguments are checked; damage of a record throws a RecordDamageError. */
export interface Tables {
  record(id: string): Awaitable<StoreRecord | undefined>;
  /** @returns undefined when there is no record */
  lines(id: string, kind: keyof LineTexts, range: LineRange): Awaitable<Json[] | undefined>;
  list(filter: RecordFilter, page: PageRequest): Awaitable<Page<RecordSummary>>;
  count(filter: CountFilter): Awaitable<number>;
  due(before: number, limit: number): Awaitable<DueTimer[]>;
  pending(page: PageRequest): Awaitable<Page<string>>;
  feed(request: FeedRequest): Awaitable<FeedPage>;
  /** The records that are marked as damaged in their rows. */
  damaged(): Awaitable<{ readonly id: string; readonly reason: string }[]>;
}

/** A SQL store that is open for reading. Keeps no record in memory. Owns the list of damaged records that are not marked. */
export abstract class TableReader implements StoreReader {
  /** The place of damaged records, for messages. */
  protected readonly where: string;
  protected abstract readonly tables: Tables;
  /** The reasons of damaged records that are not marked in their row, by id. */
  readonly #unmarked = new Map<string, string>();
  #closing: Promise<void> | undefined;

  constructor(where: string) {
    this.where = where;
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    this.checkRecord(checkedName(id, 'id'));
    return this.#reading(() => this.tables.record(id));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    return this.#reading(() => this.tables.list(filter, page));
  }

  async count(filter: CountFilter): Promise<number> {
    return this.#reading(() => this.tables.count(filter));
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    const [dueBefore, timersMax] = [checkedBefore(before), checkedLimit(limit)];
    return this.#reading(() => this.tables.due(dueBefore, timersMax));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    return this.#reading(() => this.tables.pending(page));
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async feed(request: FeedRequest): Promise<FeedPage> {
    const checked = checkedFeed(request);
    return this.#reading(() => this.tables.feed(checked));
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    const reasons = new Map(this.#unmarked);
    for (const { id, reason } of await this.#reading(() => this.tables.damaged()))
      reasons.set(id, reason);
    return Array.from(reasons, ([id, reason]) => ({ id, reason, where: this.where }));
  }

  abstract verify(onProgress?: (done: number, all: number) => void): Promise<Verification>;

  abstract size(): Promise<number>;

  close(): Promise<void> {
    this.#closing ??= this.closeNow();
    return this.#closing;
  }

  protected abstract closeNow(): Promise<void>;

  /** The error for a failed read. */
  protected abstract failure(error: unknown): StoreError;

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  protected checkRecord(id: string): void {
    this.checkOpen();
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

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    this.checkRecord(checkedName(id, 'id'));
    const checked = checkedRange(range);
    const lines = await this.#reading(() => this.tables.lines(id, kind, checked));
    if (lines === undefined) throw unknownRecord(id);
    return lines;
  }

  async #reading<Value>(read: () => Awaitable<Value>): Promise<Value> {
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
