import type { Json } from '@dramaturg/compiler';
import { checkedPage } from './check.ts';
import type { StoredRecords } from './checked-reader.ts';
import type {
  Committed,
  CountFilter,
  DueTimer,
  FeedEntry,
  FeedPage,
  FeedRequest,
  LineRange,
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  StoreRecord,
} from './contract.ts';
import type { Scheduler } from './disk/system.ts';
import { unknownRecord } from './errors.ts';
import { indexAfter } from './feed.ts';
import { RecordIndex } from './index/record-index.ts';
import { createdState, MutableRecord, toCommitted, toStoreRecord } from './record-state.ts';
import { sortedInSlices } from './slices.ts';
import type { CreateWrite, LineTexts, Write } from './write.ts';

/** The deletion of a record. */
export interface DeleteWrite {
  readonly type: 'delete';
  readonly id: string;
}

export type AnyWrite = Write | DeleteWrite;

/** A record in memory with its lines, as JSON texts, and its entries in the feed. */
export class HeldRecord extends MutableRecord {
  readonly lines: { readonly [Kind in keyof LineTexts]: string[] };
  readonly entries: FeedEntry[];
  /** The number of its last write. */
  lastWrite: number;
  /** The number of the write that created it; 0 for a record that was read from a file. */
  readonly firstWrite: number;

  /** @param entries the entries of a record that was read from a file */
  constructor(write: CreateWrite, number: number, entries?: readonly FeedEntry[]) {
    super(createdState(write));
    this.lines = { journal: [], transcript: [] };
    this.entries = [];
    this.lastWrite = number;
    this.firstWrite = entries === undefined ? number : 0;
    this.#addLines(write, number);
    if (entries !== undefined) this.entries = [...entries];
  }

  /** Applies a write that was accepted. */
  store(write: Exclude<Write, CreateWrite>, number: number): void {
    this.apply(write);
    this.#addLines(write, number);
  }

  #addLines({ journal, transcript }: LineTexts, position: number): void {
    this.lastWrite = position;
    const from = this.lines.journal.length;
    for (const line of journal) this.lines.journal.push(line);
    for (const line of transcript) this.lines.transcript.push(line);
    const { id, kind } = this.summary;
    if (journal.length > 0) this.entries.push({ position, id, kind, from, lines: journal.length });
  }
}

/**
 * Checks a write against the record that it changes.
 *
 * @returns false when the write is already stored
 * @throws the error with which the promise of the write rejects
 */
export function accepts(record: MutableRecord | undefined, write: AnyWrite): boolean {
  if (write.type === 'delete') return record !== undefined;
  if (record !== undefined) return record.accepts(write);
  if (write.type !== 'create') throw unknownRecord(write.id);
  return true;
}

/** The records of a store in memory, with the lists and the feed of all of them. Writes are numbered from 1. */
export class Records implements StoredRecords {
  /** Identifies the feed. */
  readonly #feed: string;
  readonly #held = new Map<string, HeldRecord>();
  readonly #index = new RecordIndex();
  /** The feed, with entries of deleted records. */
  #entries: FeedEntry[] = [];
  #deletedEntries = 0;
  #number = 0;

  constructor(feed: string) {
    this.#feed = feed;
  }

  /** Adds records that were read from files. Other work gets its turn in between. */
  async load(
    records: ReadonlyMap<string, HeldRecord>,
    number: number,
    scheduler: Pick<Scheduler, 'yield'>,
  ): Promise<void> {
    this.#number = number;
    const held = Array.from(records.values());
    for (const [id, record] of records) this.#held.set(id, record);
    const entries = held.flatMap((record) => record.entries);
    const byPosition = (one: FeedEntry, other: FeedEntry) => one.position - other.position;
    this.#entries = [...(await sortedInSlices(entries, byPosition, scheduler))];
    await this.#index.putAll(
      held.map(({ summary, outbox }) => ({ summary, letters: outbox.size > 0 })),
      scheduler,
    );
  }

  /** The number of the last write. */
  get number(): number {
    return this.#number;
  }

  /** The number of records. */
  get size(): number {
    return this.#held.size;
  }

  get(id: string): HeldRecord | undefined {
    return this.#held.get(id);
  }

  ids(): IterableIterator<string> {
    return this.#held.keys();
  }

  all(): IterableIterator<HeldRecord> {
    return this.#held.values();
  }

  /** Applies a write that was accepted. */
  store(write: AnyWrite): Committed {
    this.#number += 1;
    if (write.type === 'delete') return this.#delete(write.id);
    const known = this.#held.get(write.id);
    const from = known?.entries.length ?? 0;
    const record = known ?? new HeldRecord(write as CreateWrite, this.#number);
    if (known === undefined) this.#held.set(write.id, record);
    else known.store(write as Exclude<Write, CreateWrite>, this.#number);
    this.#index.put(record.summary, record.outbox.size > 0);
    const entry = record.entries[from];
    if (entry === undefined) return toCommitted(record.summary);
    this.#entries.push(entry);
    return { ...toCommitted(record.summary), position: entry.position };
  }

  record(id: string): StoreRecord | undefined {
    const record = this.#held.get(id);
    return record && toStoreRecord(record);
  }

  lines(id: string, kind: keyof LineTexts, { from, limit }: LineRange): Json[] | undefined {
    const lines = this.#held.get(id)?.lines[kind].slice(from, from + limit);
    return lines?.map((line) => JSON.parse(line));
  }

  list(filter: RecordFilter, page: PageRequest): Page<RecordSummary> {
    const { after, limit } = checkedPage(page);
    return this.#index.list(filter, after, limit);
  }

  count(filter: CountFilter): number {
    return this.#index.count(filter);
  }

  due(before: number, limit: number): readonly DueTimer[] {
    return this.#index.due(before, limit);
  }

  pending(page: PageRequest): Page<string> {
    const { after, limit } = checkedPage(page);
    return this.#index.pending(after, limit);
  }

  feed({ after, limit, contact }: FeedRequest): FeedPage {
    const entries: FeedEntry[] = [];
    for (let at = indexAfter(this.#entries, after); at < this.#entries.length; at += 1) {
      const entry = this.#entries[at]!;
      const record = this.#recordOf(entry);
      if (record === undefined) continue;
      if (contact === undefined || record.summary.contact === contact) entries.push({ ...entry });
      if (entries.length === limit) break;
    }
    return { feed: this.#feed, last: this.#number, entries };
  }

  #delete(id: string): Committed {
    const { entries } = this.#held.get(id)!;
    this.#held.delete(id);
    this.#index.remove(id);
    this.#deletedEntries += entries.length;
    if (this.#deletedEntries * 2 > this.#entries.length) {
      this.#entries = this.#entries.filter((entry) => this.#recordOf(entry) !== undefined);
      this.#deletedEntries = 0;
    }
    return { revision: 0, journalLength: 0, transcriptLength: 0 };
  }

  /** @returns undefined when the record of the entry was deleted */
  #recordOf({ id, position }: FeedEntry): HeldRecord | undefined {
    const record = this.#held.get(id);
    return record !== undefined && record.firstWrite <= position ? record : undefined;
  }
}
