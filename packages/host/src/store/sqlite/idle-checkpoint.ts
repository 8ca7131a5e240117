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

/** Milliseconds without a write. */
const idleMs = 1_000;

/** Groups of writes that are worth two flushes. */
const groupsMin = 100;

/**
 * Copies the log into the database when nobody has written for a second, so that a write seldom has to wait for it: see
 * `pagesOfLog`.
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

  /** A group of writes has been committed. */
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
      // All is in the log still, and the next time may do better.
      onError(
        isFailedFlush(error) ? log.flushFailed(error) : sqliteFailure('Copying the log', error),
      );
    }
  }
}
