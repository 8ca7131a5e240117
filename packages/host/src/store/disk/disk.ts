import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rename,
  renameSync,
  rmSync,
  truncate,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DramaturgError } from '@dramaturg/compiler';
import { StoreError, systemCodeOf, systemFailure } from '../errors.ts';
import { batchIntervalMs, type FsyncMode } from '../fsync.ts';
import { Flushes } from './flushes.ts';
import type { AtWritePoint } from './write-point.ts';

export interface DiskOptions {
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
  /** Called when a deferred flush failed. */
  readonly onError: (error: StoreError) => void;
}

/**
 * What a step waits for. `device`: the flush that the mode promises for a write. `system`: no flush; it follows within
 * 100 ms. `order`: a flush in every mode except `never`, because a later step relies on this one.
 */
export type Durability = 'device' | 'system' | 'order';

/** The valid part of a file that is appended to. */
export interface FileExtent {
  /** Valid bytes. */
  readonly length: number;
  /**
   * All bytes of the file, with reserved zeros behind the valid ones. If undefined, other bytes may follow and are cut
   * off.
   */
  readonly size?: number | undefined;
}

/** A write failed and could not be undone: the content of the file is unknown until it is read again. */
class CannotUndoError extends DramaturgError<'store/failed'> {
  override readonly name = 'CannotUndoError';

  constructor(cause: unknown) {
    super('store/failed', 'A write failed and could not be undone.', { cause });
  }
}

/**
 * Changes files: the only module of lowdb stores that does. Owns the temporary folder, the set of files with a deferred
 * flush and its timer. It decides when files are flushed and what a failed step leaves, and passes a write point before
 * each step. Small writes are synchronous, because the system only copies them. Flushes and renames wait for the device
 * and are asynchronous.
 *
 * States: working → broken. A failed flush or a lost owner lock breaks the disk: every later step throws the reason.
 */
export class Disk {
  readonly #temporary: string;
  readonly #options: DiskOptions;
  readonly #unflushed = new Set<string>();
  readonly #flushes = new Flushes();
  #flushTimer: NodeJS.Timeout | undefined;
  #drafts = 0;
  /** The reason why every write is refused; undefined while the disk works. */
  #broken: StoreError | undefined;

  /** @param temporary a folder on the same device for incomplete files */
  constructor(temporary: string, options: DiskOptions) {
    this.#temporary = temporary;
    this.#options = options;
  }

  /**
   * Appends text to the valid part of a file. When the write fails, the file is cut off where it was valid before.
   *
   * @param point the name of the step, for write points
   * @param reserve the number of zero bytes to add behind the text when the file must grow. A flush within a file that
   *   does not grow takes half the time, because its size does not change.
   */
  async append(
    path: string,
    { length, size }: FileExtent,
    text: string,
    point: string,
    durability: Durability,
    reserve = 0,
  ): Promise<FileExtent> {
    this.check();
    const bytes = Buffer.from(text);
    const end = length + bytes.length;
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666);
    try {
      if (size === undefined && fstatSync(file).size > length) {
        this.#reach(`${point}.cut`);
        ftruncateSync(file, length);
      }
      const fits = size !== undefined && end <= size;
      const written = this.#writeWithReserve(file, length, bytes, fits ? 0 : reserve, point);
      await this.#flush(file, path, point, durability);
      return { length: end, size: fits ? size : length + written };
    } finally {
      closeSync(file);
    }
  }

  /** Replaces the content of a file atomically. */
  async replace(path: string, text: string, point: string): Promise<void> {
    this.check();
    this.#drafts += 1;
    const draft = join(this.#temporary, String(this.#drafts));
    try {
      const file = openSync(draft, 'w');
      try {
        this.#write(file, Buffer.from(text), 0, point);
        // Before the rename: otherwise a power cut could leave an empty file under the name.
        await this.#flush(file, draft, point, 'order');
      } finally {
        closeSync(file);
      }
      this.#reach(`${point}.rename`);
      await renameFile(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  /** Creates an empty file unless the file exists. */
  makeFile(path: string, point: string): void {
    this.check();
    this.#reach(point);
    closeSync(openSync(path, 'a'));
  }

  /** Empties a file. Nothing may be appended to it until the promise has fulfilled. */
  async empty(path: string, point: string): Promise<void> {
    this.check();
    this.#reach(point);
    await truncateFile(path, 0);
  }

  makeFolder(path: string, point: string): void {
    this.check();
    this.#reach(point);
    mkdirSync(path, { recursive: true });
  }

  move(path: string, target: string, point: string): void {
    this.check();
    this.#reach(point);
    renameSync(path, target);
  }

  remove(path: string, point: string): void {
    this.check();
    this.#reach(point);
    rmSync(path, { recursive: true, force: true });
  }

  /** Flushes a folder, so that the device has the names of its files. */
  async flushFolder(path: string, point: string, durability: Durability): Promise<void> {
    // Windows cannot flush a folder; it writes names to the device by itself.
    if (process.platform === 'win32') return;
    const folder = openSync(path, 'r');
    try {
      await this.#flush(folder, path, point, durability, flushHandle);
    } finally {
      closeSync(folder);
    }
  }

  /** Runs all deferred flushes. */
  async flushAll(): Promise<void> {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const paths = [...this.#unflushed];
    this.#unflushed.clear();
    try {
      for (const path of paths) {
        this.#reach('later.flush');
        await flushPath(path, this.#flushes);
        this.#reach('later.flushed');
      }
    } catch (error) {
      throw this.#flushFailed(error);
    }
  }

  /** Refuses every write from now on. */
  break(reason: StoreError): void {
    this.#broken ??= reason;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** @throws the reason why writes are refused, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #reach(point: string): void {
    this.#options.atWritePoint?.(point);
  }

  /** @returns the number of bytes written. Without space for the reserve, writes the text alone. */
  #writeWithReserve(
    file: number,
    offset: number,
    text: Buffer,
    reserve: number,
    point: string,
  ): number {
    try {
      const bytes = reserve === 0 ? text : Buffer.concat([text, Buffer.alloc(reserve)]);
      this.#write(file, bytes, offset, point);
      return bytes.length;
    } catch (error) {
      undo(() => ftruncateSync(file, offset), error, reserve === 0);
      return this.#writeWithReserve(file, offset, text, 0, point);
    }
  }

  #write(file: number, bytes: Buffer, offset: number, point: string): void {
    this.#reach(`${point}.write`);
    // A crash may leave a partial write. For crash tests, writes in two halves with a write point in between.
    if (this.#options.atWritePoint !== undefined) {
      const half = bytes.length >> 1;
      writeAll(file, bytes.subarray(0, half), offset);
      this.#reach(`${point}.write-rest`);
      writeAll(file, bytes.subarray(half), offset + half);
    } else writeAll(file, bytes, offset);
  }

  async #flush(
    file: number,
    path: string,
    point: string,
    durability: Durability,
    flush = (open: number) => this.#flushes.flush(open),
  ): Promise<void> {
    const { fsync: mode } = this.#options;
    if (mode === 'never') return;
    if (durability === 'order' || (durability === 'device' && mode === 'always')) {
      // This flush includes the deferred flush of the file.
      this.#unflushed.delete(path);
      try {
        this.#reach(`${point}.flush`);
        await flush(file);
        this.#reach(`${point}.flushed`);
      } catch (error) {
        throw this.#flushFailed(error);
      }
    } else {
      this.#unflushed.add(path);
      this.#flushTimer ??= setTimeout(() => void this.#flushLater(), batchIntervalMs);
    }
  }

  async #flushLater(): Promise<void> {
    try {
      await this.flushAll();
    } catch (error) {
      this.#options.onError(systemFailure('Flushing to the device', error));
    }
  }

  /**
   * Refuses all writes after a failed flush: the content of the device is unknown, and the system reports the failure
   * only once, so the next flush would succeed without the lost part.
   */
  #flushFailed(cause: unknown): StoreError {
    const reason = new StoreError(
      'store/failed',
      'Flushing to the device failed. All writes are refused until the store is opened again.',
      { cause },
    );
    this.break(reason);
    return reason;
  }
}

const flushHandle = promisify(fsync);
const renameFile = promisify(rename);
const truncateFile = promisify(truncate);

/** Repeats the write, because the system may write only a part. */
function writeAll(file: number, bytes: Buffer, offset: number): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, offset + written);
  }
}

function undo(step: () => void, error: unknown, isLast: boolean): void {
  try {
    step();
  } catch (second) {
    throw new CannotUndoError(new AggregateError([error, second]));
  }
  if (isLast) throw error;
}

/** Ignores a missing file: its record may have been set aside. */
async function flushPath(path: string, flushes: Flushes): Promise<void> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    await (fstatSync(file).isDirectory() ? flushHandle(file) : flushes.flush(file));
  } finally {
    closeSync(file);
  }
}
