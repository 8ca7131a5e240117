import type { Database } from 'better-sqlite3';
import type { AtWritePoint } from '../disk/write-point.ts';
import { StoreError } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import type { Write, WriteResult } from '../write.ts';
import type { IdleCheckpoint } from './idle-checkpoint.ts';
import { isFailedFlush, sqliteFailure } from './sqlite-errors.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';
import { Writer } from './writer.ts';

export interface GroupCommitOptions {
  readonly log: WriteAheadLog;
  readonly idleCheckpoint: IdleCheckpoint;
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
}

interface Call {
  readonly write: Write;
  readonly resolve: (stored: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: writes of the same turn of the event loop share one transaction and one flush. Owns the queue of
 * waiting writes and the transaction. Each write is checked before it changes anything, so a refused one does not
 * affect others.
 *
 * States: empty → waiting (a commit is scheduled) → committing, synchronously → empty.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #path: string;
  readonly #options: GroupCommitOptions;
  readonly #writer: Writer;
  readonly #statements;
  #waiting: Call[] = [];

  constructor(database: Database, path: string, options: GroupCommitOptions) {
    this.#database = database;
    this.#path = path;
    this.#options = options;
    this.#writer = new Writer(database, path);
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
      markDamaged: database.prepare('UPDATE records SET damage = ? WHERE id = ?'),
    };
  }

  store(write: Write): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.commitWaiting());
    });
  }

  /** Commits the waiting writes at once. */
  commitWaiting(): void {
    const calls = this.#waiting.splice(0);
    if (calls.length === 0) return;
    const failure = this.#commitTogether(calls);
    if (failure === undefined) return;
    // The system failed at one of the writes. Each is tried alone and gets its own result.
    const retried = calls.length > 1 && !this.#options.log.isBroken();
    for (const call of calls) {
      const alone = retried ? this.#commitTogether([call]) : failure;
      if (alone !== undefined) call.reject(alone);
    }
  }

  /** Marks a record as damaged. */
  mark(id: string, reason: string): void {
    const { log, atWritePoint } = this.#options;
    log.check();
    atWritePoint?.('damaged.mark');
    this.#statements.markDamaged.run(reason, id);
    atWritePoint?.('damaged.marked');
    log.flushLater();
  }

  /** @returns the error if nothing was stored; then no call has been answered */
  #commitTogether(calls: readonly Call[]): StoreError | undefined {
    const { log, idleCheckpoint, atWritePoint } = this.#options;
    const { begin, commit } = this.#statements;
    try {
      log.check();
      atWritePoint?.('group.begin');
      begin.run();
      const answers = calls.map((call) => this.#apply(call));
      atWritePoint?.('group.commit');
      commit.run();
      atWritePoint?.('group.committed');
      if (this.#waitsForDevice(calls)) log.flushNow();
      else log.flushLater();
      idleCheckpoint.groupCommitted();
      for (const answer of answers) answer();
      return undefined;
    } catch (error) {
      return this.#rollBack(error);
    }
  }

  /** @returns a function that answers the call, to be run after the commit */
  #apply({ write, resolve, reject }: Call): () => void {
    this.#options.atWritePoint?.('group.write');
    try {
      const stored = this.#writer.store(write);
      return () => resolve(stored);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return () => reject(error);
    }
  }

  /** Receipts do not wait for a flush: see `Store.acknowledge`. */
  #waitsForDevice(calls: readonly Call[]): boolean {
    return (
      this.#options.fsync === 'always' && calls.some(({ write }) => write.type !== 'acknowledge')
    );
  }

  #rollBack(error: unknown): StoreError {
    const failure = isFailedFlush(error)
      ? this.#options.log.flushFailed(error)
      : sqliteFailure(`Writing to ${this.#path}`, error);
    try {
      if (this.#database.inTransaction) this.#statements.rollback.run();
    } catch (second) {
      this.#options.log.break(sqliteFailure(`Undoing a write to ${this.#path}`, second));
    }
    return failure;
  }
}
