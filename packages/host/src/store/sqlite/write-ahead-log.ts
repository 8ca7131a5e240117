import type { Database } from 'better-sqlite3';
import {
  close,
  closeSync,
  constants,
  existsSync,
  fdatasync,
  ftruncateSync,
  linkSync,
  open,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { StoreError, systemCodeOf } from '../errors.ts';
import { batchIntervalMs, type FsyncMode } from '../fsync.ts';
import { Flushes } from '../disk/flushes.ts';
import type { Scheduler } from '../disk/system.ts';
import type { AtWritePoint } from '../disk/write-point.ts';
import { formatLogMark, type LogMark } from './log-mark.ts';
import type { Mark } from './mark.ts';

export interface WriteAheadLogOptions {
  readonly fsync: FsyncMode;
  readonly scheduler: Scheduler;
  readonly atWritePoint?: AtWritePoint | undefined;
  readonly onError: (error: StoreError) => void;
}

/**
 * The file to which SQLite appends transactions. Owns a file handle for flushes, the timer of deferred flushes, the mark, and the
 * reason why writes are refused. SQLite flushes the file before a checkpoint, but not with a commit. This class flushes commits:
 * immediately when a write waits for the device, otherwise within 100 ms. It uses another thread, unless the device is so fast
 * that the thread would take longer. SQLite locks only its other files, so opening and closing this one does not release a lock
 * of SQLite.
 *
 * States: flushed → dirty (timer) → flushed; and from both of them broken, after a failed flush or a lost owner lock. A broken
 * log refuses every write.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #options: WriteAheadLogOptions;
  #cancelFlush: (() => void) | undefined;
  /** The last deferred flush, which may still be in progress. */
  #deferred: Promise<void> | undefined;
  readonly #flushes = new Flushes();
  /** Opened by the first flush that a write waits for. */
  #file: number | undefined;
  #broken: StoreError | undefined;
  readonly #statements;
  #mark: number | undefined;
  /** The number of flushes that began, and the number of the last one that wrote the mark. */
  #begun = 0;
  #marked = 0;

  /** @param path the path of the database */
  constructor(path: string, database: Database, options: WriteAheadLogOptions) {
    this.#path = path;
    this.#options = options;
    this.#statements = {
      length: database.prepare('PRAGMA wal_checkpoint(NOOP)'),
      token: database.prepare('SELECT base, token FROM owner'),
    };
  }

  /** The number of frames. */
  get length(): number {
    return (this.#statements.length.get() as { readonly log: number }).log;
  }

  /** Schedules a flush. Has to be called after a commit that does not wait for the device. */
  flushLater(): void {
    if (this.#options.fsync === 'never') return;
    this.#cancelFlush ??= this.#options.scheduler.after(batchIntervalMs, () => {
      this.#deferred = this.#flushInBackground();
    });
  }

  /**
   * Flushes all commits that were made before the call.
   *
   * @throws `store/failed`
   */
  async flushNow(): Promise<void> {
    // A commit that is made during this flush starts the timer again.
    this.#stopTimer();
    try {
      this.#options.atWritePoint?.('group.flush');
      const writeMark = this.#nextMark();
      this.#file ??= openSync(`${this.#path}-wal`, 'r+');
      await this.#flushes.flush(this.#file);
      writeMark();
      this.#options.atWritePoint?.('group.flushed');
    } catch (cause) {
      throw this.flushFailed(cause);
    }
  }

  /** Finishes or runs a deferred flush and closes the file. */
  async close(): Promise<void> {
    try {
      await this.#deferred;
      await this.#flush();
    } finally {
      for (const file of [this.#file, this.#mark]) if (file !== undefined) closeSync(file);
      this.#file = undefined;
      this.#mark = undefined;
    }
  }

  /** Has to be called before a log is begun or after it is removed: the database then has everything. */
  forgetMark(): void {
    this.#marked = this.#begun;
    this.#tryOnMark((mark) => ftruncateSync(mark));
  }

  /** @returns a function that writes the mark of the present log */
  #nextMark(): () => void {
    const { base, token } = this.#statements.token.get() as Pick<Mark, 'base' | 'token'>;
    const mark: LogMark = { base, token, frames: this.length };
    this.#begun += 1;
    const number = this.#begun;
    return () => {
      // A later flush or a checkpoint may have been faster.
      if (number <= this.#marked) return;
      this.#marked = number;
      this.#tryOnMark((file) => writeSync(file, formatLogMark(mark), 0));
    };
  }

  /** A mark that is not written is too low, which does no harm. */
  #tryOnMark(write: (mark: number) => void): void {
    try {
      const flags = constants.O_RDWR | constants.O_CREAT;
      this.#mark ??= openSync(`${this.#path}-mark`, flags, 0o600);
      write(this.#mark);
    } catch {
      // The commits themselves are on the device.
    }
  }

  async #flush(): Promise<void> {
    if (this.#cancelFlush === undefined) return;
    this.#stopTimer();
    const { atWritePoint } = this.#options;
    try {
      atWritePoint?.('later.flush');
      const writeMark = this.#nextMark();
      await flushFile(`${this.#path}-wal`);
      writeMark();
      atWritePoint?.('later.flushed');
    } catch (cause) {
      throw this.flushFailed(cause);
    }
  }

  #stopTimer(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
  }

  /**
   * Refuses all writes after a failed flush: the content of the device is unknown, and the system reports the failure
   * only once.
   */
  flushFailed(cause: unknown): StoreError {
    const reason = new StoreError(
      'store/failed',
      'Flushing to the device failed. All writes are refused until the store is opened again.',
      { cause },
    );
    this.break(reason);
    return reason;
  }

  /** Refuses every write from now on. */
  break(reason: StoreError): void {
    this.#broken ??= reason;
  }

  isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** @throws the reason why writes are refused, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  async #flushInBackground(): Promise<void> {
    try {
      await this.#flush();
    } catch (error) {
      this.#options.onError(error as StoreError);
    }
  }
}

/**
 * Closes a database after a failure. SQLite removes a log that it has copied, even when the database is marked as needing one:
 * the log then gets its name back.
 */
export function closeKeepingLog(database: Database, path: string): void {
  const [log, aside] = [`${path}-wal`, `${path}-wal.kept`];
  try {
    rmSync(aside, { force: true });
    if (existsSync(log)) linkSync(log, aside);
  } catch {
    // The database is closed nevertheless.
  }
  database.close();
  if (!existsSync(aside)) return;
  if (existsSync(log)) rmSync(aside);
  else renameSync(aside, log);
}

const openFile = promisify(open);
const closeFile = promisify(close);
const flushHandle = promisify(fdatasync);

/**
 * Flushes the file. A missing one is ignored: SQLite removes it after it has copied everything into the database and flushed the
 * database.
 */
async function flushFile(path: string): Promise<void> {
  let file: number;
  try {
    file = await openFile(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    await flushHandle(file);
  } finally {
    await closeFile(file);
  }
}
