import type { Json } from '@dramaturg/compiler';
import {
  checkedBefore,
  checkedFeed,
  checkedLimit,
  checkedName,
  checkedPage,
  checkedRange,
} from './check.ts';
import type {
  Change,
  Committed,
  CountFilter,
  DamagedRecord,
  DueTimer,
  FeedEntry,
  FeedPage,
  FeedRequest,
  LineRange,
  NewRecord,
  Page,
  PageRequest,
  Receipt,
  RecordFilter,
  RecordSummary,
  Store,
  StoreLocation,
  StoreReader,
  StoreRecord,
  Verification,
} from './contract.ts';
import { badRequest, StoreError, storeClosed, unknownRecord } from './errors.ts';
import { indexAfter } from './feed.ts';
import { RecordIndex } from './index/record-index.ts';
import { toCommitted, MutableRecord, toStoreRecord } from './record-state.ts';
import { SoleOwnership } from './sole-ownership.ts';
import { acknowledgeWrite, commitWrite, createWrite, type LineTexts, type Write } from './write.ts';

/**
 * Creates a store in the memory of this process, for tests and throw-away data. The records survive closing and
 * reopening the store, and are lost when the process ends.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * console.log((await host.get(id)).definition.name); // → intake
 * await host.stop();
 * ```
 */
export function memoryStore(): StoreLocation {
  const records = new Records();
  let owner: string | undefined;
  const requireFree = () => {
    if (owner === undefined) return;
    throw new StoreError('store/owned', `The store in memory is in use by "${owner}".`);
  };
  return {
    read: async (): Promise<StoreReader> => {
      requireFree();
      return new MemoryStore(records, () => {});
    },
    open: async (name) => {
      const newOwner = checkedName(name, 'owner');
      requireFree();
      owner = newOwner;
      return new MemoryStore(records, () => {
        owner = undefined;
      });
    },
  };
}

/** The stored records, as JSON text, so that callers share no objects with the store. */
class Records {
  readonly held = new Map<string, MutableRecord>();
  readonly lines = new Map<string, { readonly [Kind in keyof LineTexts]: string[] }>();
  readonly index = new RecordIndex();
  readonly feed: string = crypto.randomUUID();
  entries: FeedEntry[] = [];
  lastPosition = 0;
}

class MemoryStore implements Store {
  readonly #records: Records;
  readonly #release: () => void;
  readonly ownership = new SoleOwnership();
  #isClosed = false;

  constructor(records: Records, release: () => void) {
    this.#records = records;
    this.#release = release;
  }

  async create(record: NewRecord): Promise<Committed> {
    return this.#write(createWrite(record))!;
  }

  async commit(change: Change): Promise<Committed> {
    return this.#write(commitWrite(change))!;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    return this.#write(acknowledgeWrite(receipt));
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    const held = this.#open().held.get(checkedName(id, 'id'));
    return held && toStoreRecord(held);
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    const { after, limit } = checkedPage(page);
    return this.#open().index.list(filter, after, limit);
  }

  async count(filter: CountFilter): Promise<number> {
    return this.#open().index.count(filter);
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    return this.#open().index.due(checkedBefore(before), checkedLimit(limit));
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    const { after, limit } = checkedPage(page);
    return this.#open().index.pending(after, limit);
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async feed(request: FeedRequest): Promise<FeedPage> {
    const { after, limit, contact } = checkedFeed(request);
    const { feed, entries, lastPosition, held } = this.#open();
    const found: FeedEntry[] = [];
    for (let index = indexAfter(entries, after); index < entries.length; index += 1) {
      const entry = entries[index]!;
      if (contact === undefined || held.get(entry.id)?.summary.contact === contact)
        found.push({ ...entry });
      if (found.length === limit) break;
    }
    return { feed, last: lastPosition, entries: found };
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.#open();
    return [];
  }

  async delete(id: string): Promise<boolean> {
    const records = this.#open();
    const { held, lines, index } = records;
    const isKnown = held.delete(checkedName(id, 'id'));
    lines.delete(id);
    if (!isKnown) return false;
    index.remove(id);
    records.entries = records.entries.filter((entry) => entry.id !== id);
    return true;
  }

  /** A deleted record leaves the memory at once. */
  async compact(): Promise<undefined> {
    this.#open();
  }

  async backup(): Promise<void> {
    this.#open();
    throw badRequest('A store in memory cannot be backed up. Use lowdbStore or sqliteStore.');
  }

  /** The length of all texts, as an estimate. */
  async size(): Promise<number> {
    const { held, lines } = this.#open();
    let size = 0;
    for (const { snapshot, parts, outbox } of held.values())
      for (const text of [snapshot, ...parts.values(), ...outbox.values()]) size += text.length;
    for (const { journal, transcript } of lines.values())
      for (const text of [...journal, ...transcript]) size += text.length;
    return size;
  }

  /** Memory has no checksums: it does not outlive the process. */
  async verify(): Promise<Verification> {
    const { held } = this.#open();
    const counts = Array.from(held.values(), ({ summary }) => summary).map(
      ({ journalLength, transcriptLength }) => journalLength + transcriptLength,
    );
    return {
      records: held.size,
      lines: counts.reduce((sum, count) => sum + count, 0),
      damaged: [],
    };
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#release();
    this.#isClosed = true;
    this.ownership.close();
  }

  #open(): Records {
    if (this.#isClosed) throw storeClosed();
    return this.#records;
  }

  /** @returns undefined when the write is stored already */
  #write(write: Write): Committed | undefined {
    const records = this.#open();
    const { held, lines, index } = records;
    let record = held.get(write.id);
    if (record !== undefined) {
      if (!record.accepts(write)) return undefined;
      if (write.type !== 'create') record.apply(write);
    } else {
      if (write.type !== 'create') throw unknownRecord(write.id);
      record = MutableRecord.created(write);
      held.set(write.id, record);
      lines.set(write.id, { journal: [], transcript: [] });
    }
    const stored = lines.get(write.id)!;
    const from = stored.journal.length;
    for (const line of write.journal) stored.journal.push(line);
    for (const line of write.transcript) stored.transcript.push(line);
    const { kind } = record.summary;
    index.put(record.summary, record.outbox.size > 0);
    const committed = toCommitted(record.summary);
    if (write.journal.length === 0) return committed;
    records.lastPosition += 1;
    const position = records.lastPosition;
    records.entries.push({ position, id: write.id, kind, from, lines: write.journal.length });
    return { ...committed, position };
  }

  #lines(id: string, kind: keyof LineTexts, range: LineRange): Json[] {
    const stored = this.#open().lines.get(checkedName(id, 'id'));
    if (stored === undefined) throw unknownRecord(id);
    const { from, limit } = checkedRange(range);
    return stored[kind].slice(from, from + limit).map((line) => JSON.parse(line));
  }
}
