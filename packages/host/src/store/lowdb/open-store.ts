import { join } from 'node:path';
import { checkedName } from '../check.ts';
import type { Change, Committed, NewRecord, Receipt, Store } from '../contract.ts';
import { quoted, StoreError, systemFailure } from '../errors.ts';
import { batchIntervalMs, type FsyncMode } from '../fsync.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import type { Ownership } from '../ownership.ts';
import { checkIsNew, checkOutside } from '../own-path.ts';
import { createdState, MutableRecord } from '../record-state.ts';
import { accepts, type AnyWrite } from '../records.ts';
import { concurrently } from '../slices.ts';
import { acknowledgeWrite, commitWrite, createWrite } from '../write.ts';
import { CheckedFile, writeThrough } from './checked-file.ts';
import type { Journal } from './journal.ts';
import { copyFiles, type Manifest, readManifest, writeManifest } from './layout.ts';
import { LowdbReader, type LowdbReaderParts, type RecordFile } from './reader.ts';
import { fileNameOf, recordFormat } from './record-file.ts';
import type { Recovered } from './recovery.ts';

export interface LowdbStoreParts extends LowdbReaderParts {
  readonly lock: OwnerLock;
  readonly journal: Journal;
  readonly fsync: FsyncMode;
  /** The size of the journal at which it is folded, in bytes. */
  readonly journalSize: number;
  readonly onError: (error: StoreError) => void;
  /** Returns a new path for an incomplete file. */
  readonly draft: () => string;
  /** Opens a copy of the store for reading. */
  readonly openCopy: (path: string) => Promise<LowdbReader>;
}

/** The number of records above which a warning is given: opening takes seconds, and all records are in memory. See docs/stores.md. */
const recordsMax = 10_000;
const bytesMax = 1 << 28;

/** How many milliseconds a closing store writes files of records. Other writes stay in the journal. */
const closingMs = 1_000;
/** The pause before failed folding is retried. */
const retryMs = 1_000;

interface WriteCall {
  readonly write: AnyWrite;
  /** Called with undefined when the write was stored before. */
  readonly resolve: (stored: Committed | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that runs between two groups of writes. */
interface JobCall {
  readonly job: () => Promise<void>;
}

/**
 * An open lowdb store. Owns the queue of calls and its one worker, the folding of the journal, and the owner lock.
 *
 * The writes that are called during a flush share the next append and the next flush (group commit). They are checked against the
 * records in memory, which are changed once the writes are stored: reads return stored data only.
 *
 * Folding writes the records that have changed into their files, and then replaces the manifest and the journal. A crash at any
 * step is safe: until the manifest names the new journal, the old one has all writes, and writes that a file includes are
 * ignored.
 *
 * States: open → closing → closed. A closing store finishes its running calls and folds for at most a second.
 */
export class OpenLowdbStore extends LowdbReader implements Store {
  /** The owner lock (H6). */
  readonly ownership: Ownership;
  protected override readonly parts: LowdbStoreParts;
  #queue: (WriteCall | JobCall)[] = [];
  #working: Promise<void> | undefined;
  #isFlushPlanned = false;
  /** The last exclusive job: it changes files of records, or needs them unchanged. */
  #exclusive: Promise<unknown> = Promise.resolve();
  #isFolding = false;
  #retryAt = -Infinity;
  /** The bytes of all files of records. */
  #fileBytes: number;
  #isLarge = false;

  constructor(parts: LowdbStoreParts) {
    super(parts);
    this.parts = parts;
    this.ownership = parts.lock;
    this.#fileBytes = bytesOf(parts.recordFiles);
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record)))!;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change)))!;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    return this.#write(acknowledgeWrite(receipt));
  }

  async delete(id: string): Promise<boolean> {
    this.checkOpen();
    if (this.parts.damaged.get(checkedName(id, 'id')) === undefined)
      return (await this.#write({ type: 'delete', id })) !== undefined;
    const { journal, lock } = this.parts;
    try {
      journal.check();
      await lock.check();
      await this.parts.damaged.delete(id);
    } catch (error) {
      throw systemFailure(
        `Deleting the damaged record ${quoted(id)}`,
        await journal.reasonOf(error),
      );
    }
    return true;
  }

  async compact(): Promise<undefined> {
    this.checkOpen();
    this.parts.journal.check();
    try {
      await this.#foldAll();
    } catch (error) {
      throw systemFailure(`Compacting the store ${this.parts.path}`, error);
    }
  }

  async backup(target: string): Promise<void> {
    this.checkOpen();
    try {
      checkOutside(this.parts.path, target);
      await checkIsNew(target, this.parts.files);
      await this.#backUp(target);
    } catch (error) {
      throw systemFailure(`Copying the store ${this.parts.path} to ${target}`, error);
    }
  }

  /** Sets damaged records aside, takes over the journal, and removes the remains of a dead owner. */
  async begin(recovered: Recovered, isSalvaged: boolean): Promise<void> {
    const { journal } = this.parts;
    for (const damage of recovered.damaged) {
      await this.parts.damaged.setAside(damage);
      if (damage.id !== undefined) this.parts.recordFiles.delete(damage.id);
    }
    // The manifest names the files of records. An owner that died may have left them unflushed.
    await this.#flushRecords();
    await journal.renew(Buffer.concat(recovered.lines), (name) =>
      this.#publish({ ...this.manifest, journal: name }),
    );
    for (const id of recovered.movedBack) await this.parts.damaged.removeNote(id);
    // Otherwise the next opening would find the loss again.
    if (isSalvaged || recovered.damaged.length > 0) await this.#foldAll();
    else await this.#sweep();
    this.#stored();
  }

  protected override async closeNow(): Promise<void> {
    const { journal, lock, scheduler } = this.parts;
    try {
      while (this.#working !== undefined) await this.#working;
      const since = scheduler.now();
      const isOver = () => scheduler.now() - since > closingMs;
      if (!journal.isBroken && journal.length > 0) await this.#foldAll(isOver);
      else await this.exclusive(async () => undefined);
      if (!journal.isBroken) await this.#publishClosed();
    } catch (error) {
      throw systemFailure(`Closing the store ${this.parts.path}`, error);
    } finally {
      try {
        await journal.close();
      } finally {
        await lock.release();
      }
    }
  }

  protected override exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = this.#exclusive.then(job);
    this.#exclusive = done.catch(() => undefined);
    return done;
  }

  #write(write: AnyWrite): Promise<Committed | undefined> {
    this.checkRecord(write.id);
    this.parts.journal.check();
    return new Promise((resolve, reject) => this.#enqueue({ write, resolve, reject }));
  }

  /** Runs a job between two groups of writes. */
  #between<Value>(job: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ job: () => job().then(resolve, reject) });
    });
  }

  #enqueue(call: WriteCall | JobCall): void {
    this.#queue.push(call);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    // Collects the calls that are made in the same turn.
    await this.parts.scheduler.yield();
    while (this.#queue.length > 0) {
      const writes = this.#queue.findIndex((call) => 'job' in call);
      if (writes === 0) await (this.#queue.shift() as JobCall).job();
      else
        await this.#storeGroup(
          this.#queue.splice(0, writes === -1 ? Infinity : writes) as WriteCall[],
        );
    }
    // In the same step as the check above: otherwise a call made in between would wait forever.
    this.#working = undefined;
  }

  async #storeGroup(calls: readonly WriteCall[]): Promise<void> {
    const { journal, lock, fsync } = this.parts;
    try {
      journal.check();
      await lock.check();
      const checks = this.#checked(calls.map(({ write }) => write));
      const writes = calls.flatMap(({ write }, at) => (checks[at] === true ? [write] : []));
      if (writes.length > 0) await journal.append(writes);
      // A receipt does not wait for a flush: see `Store.acknowledge`.
      if (fsync === 'always' && writes.some(({ type }) => type !== 'acknowledge'))
        await journal.flush();
      else if (fsync !== 'never' && writes.length > 0) this.#planFlush();
      for (const [at, { write, resolve, reject }] of calls.entries()) {
        const check = checks[at]!;
        if (typeof check !== 'boolean') reject(check.refusal);
        else resolve(check ? this.records.store(write) : undefined);
      }
    } catch (error) {
      const reason = systemFailure(
        `Writing to the store ${this.parts.path}`,
        await journal.reasonOf(error),
      );
      // All calls fail, even refused ones: a write may have been refused because of one that is now not stored.
      for (const { reject } of calls) reject(reason);
      return;
    }
    this.#stored();
  }

  /**
   * Checks writes one after another, assuming that the earlier ones are stored.
   *
   * @returns for each write whether it is new, or the error with which it is refused
   */
  #checked(writes: readonly AnyWrite[]): readonly (boolean | { readonly refusal: unknown })[] {
    const counts = new Map<string, number>();
    for (const { id } of writes) counts.set(id, (counts.get(id) ?? 0) + 1);
    const drafts = new Map<string, MutableRecord | undefined>();
    return writes.map((write) => {
      const { id } = write;
      const draft = drafts.get(id);
      const record = drafts.has(id) ? draft : this.records.get(id);
      try {
        const isNew = accepts(record, write);
        // A record with one write is not copied.
        if (isNew && counts.get(id)! > 1) drafts.set(id, stateAfter(draft, record, write));
        return isNew;
      } catch (refusal) {
        return { refusal };
      }
    });
  }

  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    const { journal, onError } = this.parts;
    void this.parts.scheduler.pause(batchIntervalMs).then(async () => {
      this.#isFlushPlanned = false;
      if (journal.isBroken) return;
      await this.#between(() => journal.flush()).catch((error: unknown) =>
        onError(systemFailure('Flushing to the device', error)),
      );
    });
  }

  /** Called after writes were stored. */
  #stored(): void {
    const { journal, journalSize, onError } = this.parts;
    this.#warnIfLarge();
    if (this.#isFolding || journal.length <= Math.max(journalSize, this.#fileBytes)) return;
    if (journal.isBroken || this.parts.scheduler.now() < this.#retryAt) return;
    this.#isFolding = true;
    void this.#foldAll()
      .catch((error: unknown) => {
        this.#retryAt = this.parts.scheduler.now() + retryMs;
        onError(systemFailure('Folding the journal', error));
      })
      .finally(() => {
        this.#isFolding = false;
      });
  }

  #warnIfLarge(): void {
    const isLarge = this.records.size > recordsMax || this.#fileBytes > bytesMax;
    if (this.#isLarge || !isLarge) return;
    this.#isLarge = true;
    const message = `The store ${this.parts.path} has more than ${recordsMax} records or ${bytesMax >> 20} MiB, all of which are in memory. Copy it to a sqlite store: dramaturg copy ${this.parts.path} <new file>.db`;
    this.parts.onError(new StoreError('store/large', message));
  }

  /**
   * Moves all writes that are stored now from the journal into the files of their records.
   *
   * @param isOver returns true to begin no further file; the journal then does not change
   */
  async #foldAll(isOver = () => false): Promise<void> {
    try {
      await this.exclusive(() => this.#fold(isOver));
    } catch (error) {
      throw await this.parts.journal.reasonOf(error);
    }
  }

  async #fold(isOver: () => boolean): Promise<void> {
    const { journal } = this.parts;
    const end = await this.#between(async () => {
      await journal.flush();
      return { number: this.records.number, offset: journal.length };
    });
    const isChanged = (id: string) =>
      this.records.get(id)?.lastWrite !== this.parts.recordFiles.get(id)?.lastWrite;
    const ids = new Set([...this.parts.recordFiles.keys(), ...this.records.ids()]);
    let isDone = true;
    await concurrently([...ids].filter(isChanged), async (id) => {
      if (isOver()) isDone = false;
      else await this.#writeFile(id);
    });
    if (!isDone) return;
    await this.#flushRecords();
    await this.#between(async () => {
      const kept = await journal.read(end.offset);
      await journal.renew(kept, (name) =>
        this.#publish({ ...this.manifest, journal: name, folded: end.number }),
      );
    });
    this.#fileBytes = bytesOf(this.parts.recordFiles);
    await this.#sweep();
  }

  async #flushRecords(): Promise<void> {
    await this.parts.files.flushFolder(join(this.parts.data, 'records'));
  }

  async #writeFile(id: string): Promise<void> {
    const { journal, draft } = this.parts;
    const path = join(this.parts.data, 'records', `${fileNameOf(id)}.json`);
    const write = async () => {
      const record = this.records.get(id);
      if (record === undefined) {
        await this.parts.files.remove(path);
        this.parts.recordFiles.delete(id);
        return;
      }
      const { lastWrite } = record;
      const file = new CheckedFile(
        path,
        this.parts.files,
        recordFormat,
        draft(),
        this.parts.scheduler,
      );
      await writeThrough(file, record);
      this.parts.recordFiles.set(id, { lastWrite, bytes: file.bytes });
    };
    // Otherwise a power cut could keep this write and lose the ones before it.
    const isFlushed = (this.records.get(id)?.lastWrite ?? 0) <= journal.flushed;
    await (isFlushed ? write() : this.#between(() => journal.flush().then(write)));
    await this.parts.scheduler.yield();
  }

  /** Replaces the manifest. When it is not known which version the device has, nothing more is written. */
  async #publish(changed: Omit<Manifest, 'records'>): Promise<void> {
    const { journal, draft } = this.parts;
    const lastWrites = Array.from(
      this.parts.recordFiles,
      ([id, { lastWrite }]) => [id, lastWrite] as const,
    );
    const manifest = { ...changed, records: new Map(lastWrites) };
    try {
      await writeManifest(this.parts.path, this.parts.files, draft(), manifest);
    } catch (error) {
      const found = await readManifest(this.parts.path, this.parts.files).catch(() => undefined);
      if (found?.journal !== this.manifest.journal)
        journal.fail('The manifest could not be replaced.', error);
      throw error;
    }
    this.manifest = manifest;
  }

  async #publishClosed(): Promise<void> {
    const { journal } = this.parts;
    const { path } = journal;
    const isEmpty = journal.length === 0;
    await this.#publish({ ...this.manifest, isClosed: true, journal: isEmpty ? '' : journal.name });
    if (isEmpty) await this.parts.files.remove(path);
  }

  /** Removes incomplete files, and journals that the manifest no longer names. */
  async #sweep(): Promise<void> {
    const temporary = join(this.parts.data, 'temporary');
    for (const name of await this.parts.files.list(temporary))
      await this.parts.files.remove(join(temporary, name));
    for (const name of await this.parts.files.list(this.parts.data))
      if (name.startsWith('journal-') && name !== this.manifest.journal)
        await this.parts.files.remove(join(this.parts.data, name));
  }

  async #backUp(target: string): Promise<void> {
    const { data, files, scheduler, journal, openCopy } = this.parts;
    try {
      await this.exclusive(async () => {
        const content = await this.#between(() => journal.read(0));
        const { manifest } = this;
        await copyFiles({ data, files, scheduler, manifest, journal: content }, target);
      });
      const reader = await openCopy(target);
      const { damaged } = await reader.verify();
      await reader.close();
      if (damaged.length > this.parts.damaged.all().length)
        throw new StoreError('store/damaged', `The copy is damaged: ${damaged.at(-1)!.reason}`);
    } catch (error) {
      await files.remove(target);
      throw error;
    }
  }
}

/** The record after a write. */
function stateAfter(
  draft: MutableRecord | undefined,
  record: MutableRecord | undefined,
  write: AnyWrite,
): MutableRecord | undefined {
  if (write.type === 'delete') return undefined;
  if (write.type === 'create') return new MutableRecord(createdState(write));
  const after = draft ?? new MutableRecord(record!);
  after.apply(write);
  return after;
}

function bytesOf(files: ReadonlyMap<string, RecordFile>): number {
  let sum = 0;
  for (const { bytes } of files.values()) sum += bytes;
  return sum;
}
