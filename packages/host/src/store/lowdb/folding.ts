import { join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemFailure } from '../errors.ts';
import type { RecordIndex } from '../index/record-index.ts';
import type { Feed } from './feed.ts';
import { type IndexedRecord, writeIndex } from './index-file.ts';
import type { Journal } from './journal.ts';
import type { Manifest } from './manifest.ts';
import type { Places } from './places.ts';
import type { LowdbRecord } from './record.ts';

/** With a journal this many times too long, writes wait: it would take long to read when the store is opened. */
const backlogMax = 8;
const concurrencyMax = 16;
/** How long a closing store folds. The rest stays in the journal. */
const closingMs = 1_000;
/** After a failure, folding is tried again after this time. */
const retryMs = 1_000;

export interface FoldingParts {
  /** The data folder. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  readonly journal: Journal;
  readonly places: Places;
  readonly index: RecordIndex;
  readonly feed: Feed;
  readonly draft: () => string;
  readonly onError: (error: StoreError) => void;
  /** The size of the journal at which it is folded, in bytes. */
  readonly journalSize: number;
  readonly recordOf: (id: string) => LowdbRecord;
}

interface FoldOptions {
  /** Whether everything that was deleted is removed from the feed, too. */
  readonly isCleaned?: boolean;
  /** The name of a new feed, which is made from the records. */
  readonly newFeed?: string | undefined;
  readonly isOver?: () => boolean;
}

/**
 * Moves the writes from the journal into the files of their records, then writes the index and removes the journal. Owns the order of
 * this work: one job runs at a time. The journal may have as many bytes as the index, which is written anew each time.
 *
 * A crash at any step is safe. Until the manifest names the new index, the journal has all writes since the old one, and writes
 * that a `record.json` includes already are ignored.
 */
export class Folding {
  readonly #parts: FoldingParts;
  #last: Promise<unknown> = Promise.resolve();
  #inBackground: Promise<void> | undefined;
  #indexBytes: number;
  #count = 0;
  #retryAt = -Infinity;

  constructor(parts: FoldingParts, indexBytes: number) {
    this.#parts = parts;
    this.#indexBytes = indexBytes;
  }

  /** Called after writes were stored. */
  stored(): void {
    if (this.#inBackground !== undefined || !this.#isLong(1)) return;
    const { scheduler, onError } = this.#parts;
    if (scheduler.now() < this.#retryAt) return;
    this.#inBackground = this.fold()
      .catch((error: unknown) => {
        this.#retryAt = scheduler.now() + retryMs;
        onError(systemFailure('Folding the journal', error));
      })
      .finally(() => {
        this.#inBackground = undefined;
      });
  }

  /** Whether the journal is short enough for another write. */
  get hasRoom(): boolean {
    return this.#inBackground === undefined || !this.#isLong(backlogMax);
  }

  /** Waits until the journal is shorter. When the disk is full, the write goes into a long journal, or is refused, too. */
  async room(): Promise<void> {
    await this.#inBackground;
  }

  /** Runs a job while no file of a record changes. */
  exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(job);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /**
   * Folds all writes that are stored now.
   */
  fold(options: FoldOptions = {}): Promise<void> {
    return this.exclusive(() => this.#fold(options));
  }

  /** Folds what a second is enough for. */
  async close(): Promise<void> {
    const { scheduler, journal } = this.#parts;
    const since = scheduler.now();
    await this.exclusive(async () => {
      if (journal.content.length === 0) return;
      await this.#fold({ isOver: () => scheduler.now() - since > closingMs });
    });
  }

  #isLong(times: number): boolean {
    const { journal, journalSize } = this.#parts;
    return journal.length > times * Math.max(journalSize, this.#indexBytes);
  }

  async #fold({ isCleaned = false, newFeed, isOver = () => false }: FoldOptions): Promise<void> {
    const { folder, files, scheduler, manifest, journal, places, feed, draft } = this.#parts;
    const count = await journal.complete();
    const complete = journal.content.slice(0, count);
    const last = complete.at(-1)?.end?.number ?? manifest.content.folded;
    const ids = places.unfolded();
    const deleted = ids
      .map((id) => [id, places.get(id)] as const)
      .filter(([, place]) => place?.firstWrite === Infinity);
    if (!(await this.#foldRecords(ids.values(), isOver))) return;
    await files.flushFolder(join(folder, 'records'));
    this.#count += 1;
    const name = `index-${manifest.content.epoch}-${this.#count}.jsonl`;
    const written = { folder, name, draft: draft() };
    const { bytes, ...index } = await writeIndex(written, files, scheduler, this.#entries());
    const feedFiles =
      newFeed === undefined ? await feed.fold(last, isCleaned) : await feed.rebuild(newFeed, last);
    // Index and feed may be as newer writes have left them, such as deletions.
    await journal.flush();
    const before = manifest.content;
    await manifest.change((content) => ({
      ...content,
      journals: content.journals.filter(
        (one) => !complete.some((other) => other.name === one.name),
      ),
      folded: last,
      index,
      feed: feedFiles,
    }));
    this.#indexBytes = bytes;
    feed.folded();
    for (const [id, place] of deleted) if (places.get(id) === place) places.remove(id);
    await journal.removeOldest(count);
    const kept = new Set(feedFiles.files.map(({ file }) => file));
    for (const file of [before.index.file, ...before.feed.files.map((one) => one.file)])
      if (file !== '' && !kept.has(file)) await files.remove(join(folder, file));
  }

  /** @returns false when the time was not enough */
  async #foldRecords(ids: Iterable<string>, isOver: () => boolean): Promise<boolean> {
    const { scheduler, recordOf } = this.#parts;
    let isDone = true;
    let failure: { readonly cause: unknown } | undefined;
    const foldInTurn = async () => {
      for (const id of ids) {
        if (isOver()) isDone = false;
        if (!isDone || failure !== undefined) return;
        try {
          await recordOf(id).fold();
        } catch (cause) {
          // A damaged record has been set aside.
          if (!(cause instanceof StoreError && cause.code === 'store/damaged')) failure = { cause };
        }
        await scheduler.yield();
      }
    };
    await Promise.all(Array.from({ length: concurrencyMax }, foldInTurn));
    if (failure !== undefined) throw failure.cause;
    return isDone;
  }

  *#entries(): Generator<IndexedRecord> {
    const { index, places } = this.#parts;
    for (const id of Array.from(index.ids())) {
      const [found, place] = [index.get(id), places.get(id)];
      if (found === undefined || place === undefined || place.folded === 0) continue;
      const { folded, firstWrite, lastWrite: through } = place;
      yield { ...found, folded, firstWrite, through };
    }
  }
}
