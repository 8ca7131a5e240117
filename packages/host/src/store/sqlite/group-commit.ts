import { nextTurn } from '@dramaturg/compiler/machine';
import type { Database } from 'better-sqlite3';
import type { AtWritePoint } from '../disk/write-point.ts';
import { damagedRecord, StoreError } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { DatabaseFile } from './database-file.ts';
import type { OwnerMark } from './owner-mark.ts';
import { RecordDamageError } from '../record-damage-error.ts';
import { isFailedFlush, sqliteFailure } from './sqlite-errors.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';
import { locationOf, Writer } from './writer.ts';

export interface GroupCommitOptions {
  readonly file: DatabaseFile;
  readonly lock: OwnerLock;
  readonly log: WriteAheadLog;
  readonly mark: OwnerMark;
  readonly checkpoint: Checkpoint;
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
}

interface Call {
  /** Applies the write. Throws a `StoreError` when the write is refused. */
  readonly apply: (writer: Writer) => unknown;
  readonly waitsForDevice: boolean;
  readonly resolve: (stored: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The maximum number of writes in one transaction, so that it does not block the event loop for long. */
const groupSizeMax = 256;

/**
 * Group commit: the writes that are called during a flush share the next transaction and the next flush. Owns the queue of
 * waiting writes, the transaction, and the flush that writes wait for. Each write is checked before it changes anything, so a
 * refused write does not affect others.
 *
 * States: empty → collecting, for a turn of the event loop → confirming the ownership → committing, synchronously → flushing →
 * empty, or collecting when more writes wait.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #options: GroupCommitOptions;
  readonly #writer: Writer;
  readonly #statements;
  #waiting: Call[] = [];
  #working: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;

  constructor(database: Database, options: GroupCommitOptions) {
    this.#database = database;
    this.#options = options;
    this.#writer = new Writer(database, options.file.path);
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
      markDamaged: database.prepare('UPDATE records SET damage = ? WHERE id = ?'),
    };
  }

  /**
   * Stores a write with the next transaction.
   *
   * @param apply applies the write and returns its result, or throws a `StoreError` when the write is refused
   * @param waitsForDevice false when the result need not wait for a flush
   */
  run<Result>(apply: (writer: Writer) => Result, waitsForDevice = true): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const call = { apply, waitsForDevice, reject, resolve: resolve as Call['resolve'] };
      this.#waiting.push(call);
      this.#working ??= this.#work();
    });
  }

  /** Fulfils when no write waits. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** The flush of a commit that is not stored yet, although SQLite already returns its data. Does not reject. */
  get flushing(): Promise<void> | undefined {
    return this.#flushing;
  }

  /** Marks a record as damaged. */
  mark(id: string, reason: string): void {
    const { log, atWritePoint, mark } = this.#options;
    log.check();
    atWritePoint?.('damaged.mark');
    this.#database.transaction(() => {
      this.#statements.markDamaged.run(reason, id);
      mark.noteUnflushed();
    })();
    atWritePoint?.('damaged.marked');
    log.flushLater();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Collects the writes of all records that are called in the same turn.
      await nextTurn();
      await this.#commitGroup();
    }
    // In the same step as the check above: otherwise a write called in between would wait forever.
    this.#working = undefined;
  }

  async #commitGroup(): Promise<void> {
    let failure: StoreError | undefined;
    try {
      await this.#options.lock.check();
    } catch (error) {
      failure = sqliteFailure('Confirming the ownership of the store', error);
    }
    const calls = this.#waiting.splice(0, groupSizeMax);
    failure ??= await this.#commitTogether(calls);
    if (failure === undefined) return;
    // The system failed at one of the writes. Each is tried alone and gets its own result.
    const isRetried =
      calls.length > 1 && failure.code !== 'store/lost' && !this.#options.log.isBroken();
    for (const call of calls) {
      const alone = isRetried ? await this.#commitTogether([call]) : failure;
      if (alone !== undefined) call.reject(alone);
    }
  }

  /** @returns the error if nothing was stored; then no call has been answered */
  async #commitTogether(calls: readonly Call[]): Promise<StoreError | undefined> {
    const { file, log, mark, checkpoint, fsync, atWritePoint } = this.#options;
    const { begin, commit } = this.#statements;
    // Receipts do not wait for a flush: see `Store.acknowledge`.
    const isFlushed = fsync === 'always' && calls.some(({ waitsForDevice }) => waitsForDevice);
    try {
      log.check();
      file.checkIsInPlace();
      atWritePoint?.('group.begin');
      begin.run();
      mark.check();
      const answers = calls.map((call) => this.#apply(call));
      if (!isFlushed) mark.noteUnflushed();
      atWritePoint?.('group.commit');
      commit.run();
      atWritePoint?.('group.committed');
      if (isFlushed) await this.#flush();
      else log.flushLater();
      for (const answer of answers) answer();
    } catch (error) {
      return this.#rollBack(error);
    }
    checkpoint.groupCommitted(calls.length);
    return undefined;
  }

  async #flush(): Promise<void> {
    let end!: () => void;
    this.#flushing = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await this.#options.log.flushNow();
    } finally {
      this.#flushing = undefined;
      end();
    }
  }

  /** @returns a function that answers the call, to be run after the commit */
  #apply({ apply, resolve, reject }: Call): () => void {
    this.#options.atWritePoint?.('group.write');
    try {
      const stored = apply(this.#writer);
      return () => resolve(stored);
    } catch (error) {
      if (error instanceof RecordDamageError) {
        const { id, message } = error;
        if (!error.mayPass) this.#statements.markDamaged.run(message, id);
        return () => reject(damagedRecord(id, message, locationOf(this.#options.file.path)));
      }
      if (!(error instanceof StoreError)) throw error;
      return () => reject(error);
    }
  }

  #rollBack(error: unknown): StoreError {
    const { file, lock, log } = this.#options;
    const failure = isFailedFlush(error)
      ? log.flushFailed(error)
      : sqliteFailure(`Writing to ${file.path}`, error);
    if (failure.code === 'store/lost') lock.lose(failure);
    try {
      if (this.#database.inTransaction) this.#statements.rollback.run();
    } catch (second) {
      log.break(sqliteFailure(`Undoing a write to ${file.path}`, second));
    }
    return failure;
  }
}
