import { close, closeSync, fdatasync, fdatasyncSync, open, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreError, systemCodeOf } from '../errors.ts';
import { batchIntervalMs } from '../fsync.ts';
import type { AtWritePoint } from '../disk/write-point.ts';
import type { FsyncMode } from '../fsync.ts';

export interface WriteAheadLogOptions {
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
  readonly onError: (error: StoreError) => void;
}

/**
 * The file that SQLite appends transactions to. SQLite itself flushes it before it takes from it into the database, and
 * never with a commit: that is done from here, at once where a write waits for the device, and else within 100 ms and
 * without holding up the process. SQLite locks the other files, never this one, so that opening and closing it beside
 * SQLite takes no lock away.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #options: WriteAheadLogOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Open from the first flush on that is waited for. */
  #file: number | undefined;
  #broken: StoreError | undefined;

  constructor(path: string, options: WriteAheadLogOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** A commit was not flushed. */
  flushLater(): void {
    if (this.#options.fsync === 'never') return;
    this.#timer ??= setTimeout(() => void this.#flushInBackground(), batchIntervalMs);
  }

  /**
   * Returns when the device has all that was committed.
   *
   * @throws `store/failed`
   */
  flushNow(): void {
    try {
      this.#options.atWritePoint?.('group.flush');
      this.#file ??= openSync(this.#path, 'r+');
      fdatasyncSync(this.#file);
    } catch (cause) {
      throw this.flushFailed(cause);
    }
    this.#stopTimer();
  }

  /** Flushes what has not been, and lets go of the file. */
  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      if (this.#file !== undefined) closeSync(this.#file);
      this.#file = undefined;
    }
  }

  async #flush(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#stopTimer();
    const { atWritePoint } = this.#options;
    try {
      atWritePoint?.('later.flush');
      await flushFile(this.#path);
      atWritePoint?.('later.flushed');
    } catch (cause) {
      throw this.flushFailed(cause);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * After a failed flush nobody can say what the device has, and the system does not tell again. So nothing more is
   * written until the file has been read again.
   */
  flushFailed(cause: unknown): StoreError {
    const reason = new StoreError(
      'store/failed',
      'Flushing to the device failed. Nothing more is written until the store is opened again.',
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

  /** @throws the reason why nothing may be written, if there is one */
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

const openFile = promisify(open);
const closeFile = promisify(close);
const flushHandle = promisify(fdatasync);

/** SQLite removes the file when it has put everything into the database, which it flushes. */
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
