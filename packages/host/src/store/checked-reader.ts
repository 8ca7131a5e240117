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
import { storeClosed, unknownRecord } from './errors.ts';
import type { LineTexts } from './write.ts';

export type Awaitable<Value> = Value | Promise<Value>;

/** Reads the records of a store. Arguments are checked, except filters and pages. */
export interface StoredRecords {
  record(id: string): Awaitable<StoreRecord | undefined>;
  /** @returns undefined when there is no record */
  lines(id: string, kind: keyof LineTexts, range: LineRange): Awaitable<Json[] | undefined>;
  list(filter: RecordFilter, page: PageRequest): Awaitable<Page<RecordSummary>>;
  count(filter: CountFilter): Awaitable<number>;
  due(before: number, limit: number): Awaitable<readonly DueTimer[]>;
  pending(page: PageRequest): Awaitable<Page<string>>;
  feed(request: FeedRequest): Awaitable<FeedPage>;
}

/** A store that is open for reading. It checks arguments, and refuses reads when it is closed. */
export abstract class CheckedReader implements StoreReader {
  protected abstract readonly records: StoredRecords;
  #closing: Promise<void> | undefined;

  async read(id: string): Promise<StoreRecord | undefined> {
    this.checkRecord(checkedName(id, 'id'));
    return this.reading(() => this.records.record(id));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    return this.reading(() => this.records.list(filter, page));
  }

  async count(filter: CountFilter): Promise<number> {
    return this.reading(() => this.records.count(filter));
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    const [dueBefore, timersMax] = [checkedBefore(before), checkedLimit(limit)];
    return this.reading(() => this.records.due(dueBefore, timersMax));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    return this.reading(() => this.records.pending(page));
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async feed(request: FeedRequest): Promise<FeedPage> {
    const checked = checkedFeed(request);
    return this.reading(() => this.records.feed(checked));
  }

  abstract damaged(): Promise<readonly DamagedRecord[]>;

  abstract verify(onProgress?: (done: number, all: number) => void): Promise<Verification>;

  abstract size(): Promise<number>;

  close(): Promise<void> {
    this.#closing ??= this.closeNow();
    return this.#closing;
  }

  protected abstract closeNow(): Promise<void>;

  /** @throws `store/closed` */
  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  /** @throws `store/damaged` when the record was set aside; `store/closed` */
  protected checkRecord(_id: string): void {
    this.checkOpen();
  }

  protected async reading<Value>(read: () => Awaitable<Value>): Promise<Value> {
    this.checkOpen();
    return read();
  }

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    this.checkRecord(checkedName(id, 'id'));
    const checked = checkedRange(range);
    const lines = await this.reading(() => this.records.lines(id, kind, checked));
    if (lines === undefined) throw unknownRecord(id);
    return lines;
  }
}
