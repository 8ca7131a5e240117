import type { Database } from 'better-sqlite3';
import type { Scheduler } from '../disk/system.ts';
import type { AtWritePoint } from '../disk/write-point.ts';
import { StoreError } from '../errors.ts';
import type { OwnerMark } from './owner-mark.ts';
import { isFailedFlush, sqliteFailure } from './sqlite-errors.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

export interface CheckpointOptions {
  readonly log: WriteAheadLog;
  readonly mark: OwnerMark;
  readonly scheduler: Scheduler;
  readonly atWritePoint?: AtWritePoint | undefined;
  readonly onError: (error: StoreError) => void;
}

/** The time without a write before the checkpoint. */
const idleMs = 1_000;

/** The number of commits that makes a checkpoint worth its two flushes. */
const groupsMin = 100;

/**
 * When the log has this many pages (8 MiB), it is copied after the present write. SQLite copies all pages in one go, which blocks
 * the event loop for about 20 ms. Many pages are versions of the same few pages, so with a longer log less is copied for each
 * write.
 */
const logPagesMax = 2_000;

/** The number of writes after which the length of the log is read. Reading it takes as long as a small write, which adds a few pages. */
const writesPerReading = 32;

/** The answer of `PRAGMA wal_checkpoint`: the pages of the log, and how many of them the database has. */
interface CheckpointResult {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Copies the log into the database: after a second without a write, so that writes rarely wait for it, or when the log
 * is long. SQLite does not do it by itself here, because each log must begin with a new mark (see `Mark`). Owns the timer and the
 * number of commits since the last checkpoint.
 *
 * States: counting commits → waiting (timer) → checkpoint → counting.
 */
export class Checkpoint {
  readonly #database: Database;
  readonly #options: CheckpointOptions;
  #cancelTimer: (() => void) | undefined;
  #groups = 0;
  /** The number of writes since the length of the log was read. */
  #writes = 0;
  /** The value of `#groups` when the timer was started. */
  #groupsAtStart = 0;

  constructor(database: Database, options: CheckpointOptions) {
    this.#database = database;
    this.#options = options;
    database.pragma('wal_autocheckpoint = 0');
  }

  /**
   * Has to be called after each commit of a group.
   *
   * @param writes the number of writes in the group
   */
  groupCommitted(writes: number): void {
    this.#groups += 1;
    this.#writes += writes;
    if (this.#isLogLong()) this.#tryRun();
    else if (this.#groups >= groupsMin && this.#cancelTimer === undefined) this.#startTimer();
  }

  /** Copies the whole log into the database and begins a new one. */
  run(): void {
    const { atWritePoint, log, mark } = this.#options;
    this.stop();
    atWritePoint?.('checkpoint');
    this.#copyLog('FULL');
    atWritePoint?.('checkpointed');
    log.forgetMark();
    mark.beginLog(() => this.#copyLog('FULL'));
    atWritePoint?.('log.begun');
  }

  /** Like `run`, and leaves no byte of the old log. */
  runAndEmptyLog(): void {
    this.#options.log.forgetMark();
    this.#copyLog('TRUNCATE');
    this.run();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#groups = 0;
  }

  #isLogLong(): boolean {
    if (this.#writes < writesPerReading) return false;
    this.#writes = 0;
    return this.#options.log.length >= logPagesMax;
  }

  #startTimer(): void {
    this.#groupsAtStart = this.#groups;
    this.#cancelTimer = this.#options.scheduler.after(idleMs, () => {
      if (this.#groups === this.#groupsAtStart) this.#tryRun();
      else this.#startTimer();
    });
  }

  #copyLog(mode: 'FULL' | 'TRUNCATE'): void {
    const [result] = this.#database.pragma(`wal_checkpoint(${mode})`) as CheckpointResult[];
    if (result?.log === result?.checkpointed) return;
    throw new StoreError('store/failed', 'SQLite did not copy the whole log into the database.');
  }

  #tryRun(): void {
    const { log, onError } = this.#options;
    if (log.isBroken()) return;
    try {
      this.run();
    } catch (error) {
      // The log still has everything, and the next checkpoint may succeed.
      onError(
        isFailedFlush(error) ? log.flushFailed(error) : sqliteFailure('Copying the log', error),
      );
    }
  }
}
