import type { Json } from '@dramaturg/compiler';
import type {
  CountFilter,
  DamagedRecord,
  DueTimer,
  FeedEntry,
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
} from '@dramaturg/host/store';
import {
  badRequest,
  checkedBefore,
  checkedFeed,
  checkedLimit,
  checkedName,
  checkedRange,
  checkedTime,
  damagedRecord,
  type LineTexts,
  quoted,
  RecordDamageError,
  storeClosed,
  unknownRecord,
} from '@dramaturg/host/store';
import type { Database, Row } from '../connection/database.ts';
import { nameOf, storedName } from '../names.ts';
import { type Position, Reader } from './reader.ts';
import { verifyStore } from './verify.ts';

/** A store that is open for reading. No record is kept in memory. */
export class OpenPostgresReader implements StoreReader {
  protected readonly database: Database;
  protected readonly where: string;
  readonly #reader: Reader;
  /** The reasons why records are damaged that are not marked in their row, by id. */
  readonly #unmarked = new Map<string, string>();
  #closing: Promise<void> | undefined;

  constructor(database: Database) {
    this.database = database;
    this.where = tableOf(database);
    this.#reader = new Reader(database, this.where, (damage) => void this.#setAside(damage));
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    this.checkRecord(checkedName(id, 'id'));
    return this.#read((reader) => reader.record(id));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.checkOpen();
    const { after, limit } = checkedPage(page);
    return this.#read((reader) => reader.list(filter, after, limit));
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
    return this.#read(() => readFeed(this.database, checked));
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    const { where } = this;
    const marked = await this.#read((reader) => reader.damaged());
    const unmarked = Array.from(this.#unmarked, ([id, reason]) => ({ id, reason, where }));
    return [...marked.map((record) => ({ ...record, where })), ...unmarked];
  }

  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    try {
      return await verifyStore(this.database, this.where, (done, all) => {
        onProgress?.(done, all);
        this.checkOpen();
      });
    } catch (error) {
      throw this.database.failure('Reading the store', error);
    }
  }

  async size(): Promise<number> {
    this.checkOpen();
    const [found] = await this.#read(() =>
      this.database.scan<{ size: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS size
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [this.database.place.schema],
      ),
    );
    return found!.size;
  }

  close(): Promise<void> {
    this.#closing ??= this.closeNow();
    return this.#closing;
  }

  protected async closeNow(): Promise<void> {
    await this.database.close();
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  protected checkRecord(id: string): void {
    this.checkOpen();
    const reason = this.#unmarked.get(id);
    if (reason !== undefined) throw damagedRecord(id, reason, this.where);
  }

  /** Forgets that a record is damaged. */
  protected forget(id: string): void {
    this.#unmarked.delete(id);
  }

  /** Marks a damaged record in its row, if the store can be written to. */
  protected async mark(_damage: RecordDamageError): Promise<void> {}

  async #lines(id: string, kind: keyof LineTexts, range: LineRange): Promise<Json[]> {
    this.checkRecord(checkedName(id, 'id'));
    const checked = checkedRange(range);
    const lines = await this.#read((reader) => reader.lines(id, kind, checked));
    if (lines === undefined) throw unknownRecord(id);
    return lines;
  }

  async #read<Value>(read: (reader: Reader) => Promise<Value>): Promise<Value> {
    try {
      return await read(this.#reader);
    } catch (error) {
      if (!(error instanceof RecordDamageError))
        throw this.database.failure('Reading the store', error);
      await this.#setAside(error);
      throw damagedRecord(error.id, error.message, this.where);
    }
  }

  /** Later calls for the record reject with `store/damaged`. */
  async #setAside(damage: RecordDamageError): Promise<void> {
    this.#unmarked.set(damage.id, damage.message);
    await this.mark(damage);
  }
}

/** The table of damaged records, which stay in their rows. */
function tableOf({ place: { label } }: Database): string {
  return `the table "records" of ${label}`;
}

function checkedPage({ after, limit }: PageRequest): {
  readonly after: Position | undefined;
  readonly limit: number;
} {
  checkedLimit(limit);
  if (after === undefined) return { after, limit };
  try {
    const [createdAt, number] = JSON.parse(after) as unknown[];
    if (!Number.isSafeInteger(number)) throw badRequest('The number is not an integer.');
    return {
      after: { createdAt: checkedTime(createdAt, 'time'), number: number as number },
      limit,
    };
  } catch (cause) {
    throw badRequest(`${quoted(after)} is not a cursor of this list.`, cause);
  }
}

interface EntryRow extends Row {
  readonly feed: string;
  readonly last: number;
  /** Null in the single row of an empty page. */
  readonly position: number | null;
  readonly id: string;
  readonly kind: string;
  readonly from: number;
  readonly lines: number;
}

/** Reads the feed with one statement, and so at one instant. */
async function readFeed(
  database: Database,
  { after, limit, contact }: FeedRequest,
): Promise<FeedPage> {
  const ofContact = contact === undefined ? '' : 'AND r.contact = $3';
  const rows = await database.read<EntryRow>(
    `SELECT feed, last_position AS last, entry.*
     FROM {schema}.progress LEFT JOIN (
       SELECT l.position, r.id, r.kind, l.first AS "from", l.count AS lines
       FROM {schema}.lines l JOIN {schema}.records r ON r.number = l.record
       WHERE l.kind = 'journal' AND l.position > $1::bigint AND r.damage IS NULL ${ofContact}
       ORDER BY l.position LIMIT $2::bigint
     ) entry ON true ORDER BY position`,
    [after, limit, ...(contact === undefined ? [] : [storedName(contact)])],
  );
  const entries = rows.flatMap(({ position, id, kind, from, lines }): FeedEntry[] =>
    position === null ? [] : [{ position, id: nameOf(id), kind: nameOf(kind), from, lines }],
  );
  return { feed: rows[0]!.feed, last: rows[0]!.last, entries };
}
