import type { Database } from 'better-sqlite3';
import type { AtWritePoint } from '../disk/write-point.ts';
import type { StoreError } from '../errors.ts';
import { isFailedFlush, sqliteFailure } from './sqlite-errors.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

export interface IdleCheckpointOptions {
  readonly log: WriteAheadLog;
  readonly atWritePoint?: AtWritePoint | undefined;
  readonly onError: (error: StoreError) => void;
}

/** The time without a write before the checkpoint. */
const idleMs = 1_000;

/** The number of commits that makes a checkpoint worth its two flushes. */
const groupsMin = 100;

/**
 * Copies the log into the database after a second without a write, so that writes rarely wait for it: see
 * `logPagesMax`. Owns the timer and the number of commits since the last checkpoint.
 *
 * States: counting commits → waiting (timer) → checkpoint → counting.
 */
export class IdleCheckpoint {
  readonly #database: Database;
  readonly #options: IdleCheckpointOptions;
  #timer: NodeJS.Timeout | undefined;
  #groups = 0;

  constructor(database: Database, options: IdleCheckpointOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** To be called after each commit of a group. */
  groupCommitted(): void {
    this.#groups += 1;
    if (this.#groups < groupsMin) return;
    this.#timer ??= setTimeout(() => this.#checkpoint(), idleMs).unref();
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#groups = 0;
  }

  #checkpoint(): void {
    const { log, atWritePoint, onError } = this.#options;
    this.stop();
    if (log.isBroken()) return;
    try {
      atWritePoint?.('idle.checkpoint');
      this.#database.pragma('wal_checkpoint(PASSIVE)');
      atWritePoint?.('idle.checkpointed');
    } catch (error) {
      // The log still has everything, and the next checkpoint may succeed.
      onError(
        isFailedFlush(error) ? log.flushFailed(error) : sqliteFailure('Copying the log', error),
      );
    }
  }
}
