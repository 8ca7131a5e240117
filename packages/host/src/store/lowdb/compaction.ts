import type { Scheduler } from '../disk/system.ts';
import { type StoreError, systemFailure } from '../errors.ts';
import { inSlices } from '../slices.ts';
import type { Feed } from './feed.ts';
import type { IndexedRecord, IndexEntries, IndexFile } from './index-file.ts';
import type { Log } from './log/log.ts';
import type { Segment } from './log/segment-file.ts';

/** A record without a write for this long is compacted even when the log is short. */
const quietMs = 5_000;
const intervalMs = 1_000;
/** The most quiet records that are compacted in one interval, so that a crowd of short-lived records costs little. */
const quietMax = 64;
/** More complete segments than this are compacted at once. */
const segmentsMax = 4;
/** With more complete segments than this, writes wait: a longer log would take long to read when the store is opened. */
const backlogMax = 64;
const concurrencyMax = 16;
/** How long a closing store compacts. The rest stays in the log. */
const closingMs = 1_000;

export interface CompactionParts {
  readonly log: Log;
  readonly indexFile: IndexFile;
  readonly feed: Feed;
  readonly scheduler: Scheduler;
  /** Whether a quiet record has enough writes in the log. If not, they stay there until the log is shortened. */
  readonly isWorthCompacting: (id: string) => boolean;
  /** Moves the writes of a record into its files. Does not reject. */
  readonly compactRecord: (id: string) => Promise<void>;
  /** The entry of a record in the index file; undefined when the record is not in files. */
  readonly entryOf: (id: string) => IndexedRecord | undefined;
  /** All entries. */
  readonly entries: () => IndexEntries;
  readonly countRecords: () => number;
  readonly onError: (error: StoreError) => void;
}

/**
 * Moves writes from the log into the files of their records, and removes segments whose writes are all moved. Owns the
 * timer of background work, and runs one job at a time. Compacted are records that have been quiet for five seconds, if
 * the log has much of them, and all records of the oldest segment when there are too many segments.
 *
 * States: waiting (timer) → working → waiting; and from both closed.
 */
export class Compaction {
  readonly #parts: CompactionParts;
  /** The time of the last write by record id, oldest first. */
  readonly #lastWrites = new Map<string, number>();
  /** Records whose entry in the index file is old. */
  readonly #unindexed = new Set<string>();
  #cancelTimer: (() => void) | undefined;
  #last: Promise<void> = Promise.resolve();
  #isShrinking = false;
  #isClosed = false;

  constructor(parts: CompactionParts) {
    this.#parts = parts;
  }

  /**
   * Starts the work in the background.
   *
   * @param ids the records with writes in the log
   */
  async start(ids: Iterable<string>): Promise<void> {
    const { scheduler } = this.#parts;
    await inSlices(ids, scheduler, (id) => this.#lastWrites.set(id, scheduler.now()));
    if (this.#lastWrites.size > 0) this.#startTimer();
    this.#shrinkIfLong();
  }

  /** Called after a write of a record was stored. */
  written(id: string): void {
    this.#lastWrites.delete(id);
    this.#lastWrites.set(id, this.#parts.scheduler.now());
    this.#startTimer();
    this.#shrinkIfLong();
  }

  /** Whether the log is short enough for another write. */
  get hasRoom(): boolean {
    return this.#isClosed || this.#completeSegments().length <= backlogMax;
  }

  /** Waits until the log is short enough for another write. */
  async room(): Promise<void> {
    while (!this.hasRoom) {
      const before = this.#completeSegments().length;
      await this.#exclusive(() => this.#compactOldest());
      // The disk may be full. The write is then refused for the same reason, or goes into a long log.
      if (this.#completeSegments().length >= before) return;
    }
  }

  /** Called when a record has changed in its files without a write to the log. */
  changed(id: string): void {
    this.#unindexed.add(id);
  }

  /** Runs a job while no compaction runs. */
  exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return this.#exclusive(job);
  }

  /** Moves all writes that are stored now, and removes everything that was deleted or replaced. */
  compactAll(): Promise<void> {
    return this.#exclusive(async () => {
      await this.#parts.log.complete();
      for (const segment of this.#parts.log.segments)
        await this.#compactRecords(segment.records.keys());
      await this.#removeSegments();
      await this.#parts.feed.compact();
      this.#unindexed.clear();
      await this.#parts.indexFile.rewrite(this.#parts.entries());
    });
  }

  /** Writes a new index file with all records. */
  rewriteIndex(): Promise<void> {
    return this.#exclusive(async () => {
      this.#unindexed.clear();
      await this.#parts.indexFile.rewrite(this.#parts.entries());
    });
  }

  /** Stores the index of everything that was compacted. */
  writeIndex(): Promise<void> {
    return this.#exclusive(() => this.#writeIndex());
  }

  /** @param compacts whether to compact what a second is enough for; the rest is read when the store is opened again */
  async close(compacts: boolean): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#last;
    if (!compacts) return;
    const { scheduler, log } = this.#parts;
    const since = scheduler.now();
    await log.complete();
    for (const segment of log.segments) {
      await this.#compactRecords(segment.records.keys(), () => scheduler.now() - since > closingMs);
      if (segment.records.size > 0) break;
    }
    await this.#removeSegments();
  }

  #exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(job);
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  #startTimer(): void {
    if (this.#isClosed || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#parts.scheduler.after(intervalMs, () => void this.#compactQuiet());
  }

  async #compactQuiet(): Promise<void> {
    await this.#inBackground(async () => {
      const now = this.#parts.scheduler.now();
      const quiet: string[] = [];
      for (const [id, since] of this.#lastWrites) {
        if (quiet.length === quietMax || Math.abs(now - since) < quietMs) break;
        if (this.#parts.isWorthCompacting(id)) quiet.push(id);
        else this.#lastWrites.delete(id);
      }
      await this.#compactRecords(quiet.values(), () => this.#isClosed);
    });
    this.#cancelTimer = undefined;
    if (this.#lastWrites.size > 0) this.#startTimer();
  }

  #shrinkIfLong(): void {
    if (this.#isShrinking || this.#isClosed || this.#completeSegments().length <= segmentsMax)
      return;
    this.#isShrinking = true;
    void this.#inBackground(async () => {
      const before = this.#completeSegments().length;
      await this.#compactOldest();
      return this.#completeSegments().length < before;
    }).then((hasShrunk) => {
      this.#isShrinking = false;
      if (hasShrunk === true) this.#shrinkIfLong();
    });
  }

  async #inBackground<Value>(job: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await this.#exclusive(job);
    } catch (error) {
      this.#parts.onError(systemFailure('Compacting the log', error));
      return undefined;
    }
  }

  #completeSegments(): readonly Segment[] {
    return this.#parts.log.segments.filter(({ end }) => end !== undefined);
  }

  async #compactOldest(): Promise<void> {
    const [oldest] = this.#completeSegments();
    if (oldest === undefined) return;
    await this.#compactRecords(oldest.records.keys(), () => this.#isClosed);
    await this.#removeSegments();
  }

  async #compactRecords(
    ids: Iterator<string> & Iterable<string>,
    isOver: () => boolean = () => false,
  ): Promise<void> {
    const compactInTurn = async () => {
      for (const id of ids) {
        if (isOver()) return;
        this.#lastWrites.delete(id);
        await this.#parts.compactRecord(id);
        this.#unindexed.add(id);
        await this.#parts.scheduler.yield();
      }
    };
    await Promise.all(Array.from({ length: concurrencyMax }, compactInTurn));
  }

  /** Only from the oldest on: a deletion must outlive the writes before it. */
  async #removeSegments(): Promise<void> {
    const { log } = this.#parts;
    const kept = log.segments.findIndex(
      ({ end, records }) => end === undefined || records.size > 0,
    );
    const count = kept === -1 ? log.segments.length : kept;
    if (count === 0) return;
    // Before the log forgets the records.
    await this.#writeIndex();
    await this.#parts.feed.take(log.segments.slice(0, count));
    await log.removeOldest(count);
  }

  async #writeIndex(): Promise<void> {
    if (this.#unindexed.size === 0) return;
    const { indexFile, entryOf, countRecords, entries } = this.#parts;
    const ids = [...this.#unindexed];
    // A new file has all records, so closing the store leaves it to the next owner.
    if (!this.#isClosed && indexFile.isWorthRewriting(countRecords()))
      await indexFile.rewrite(entries());
    else await indexFile.append(entriesOf(ids, entryOf), countRecords);
    for (const id of ids) this.#unindexed.delete(id);
  }
}

function* entriesOf(
  ids: readonly string[],
  entryOf: CompactionParts['entryOf'],
): Generator<readonly [string, IndexedRecord | undefined]> {
  for (const id of ids) yield [id, entryOf(id)];
}
