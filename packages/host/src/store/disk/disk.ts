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
  /** Called with a flush in the background that failed. */
  readonly onError: (error: StoreError) => void;
}

/**
 * What a step waits for: `device` for the flush that the mode promises for a write, `system` for no flush, which then
 * follows within 100 ms, and `order` for a flush in every mode but `never`, because a later step relies on this one.
 */
export type Durability = 'device' | 'system' | 'order';

/** A file, and how far it counts. */
export interface FileExtent {
  /** Bytes that count. */
  readonly length: number;
  /** Bytes there are, with zeros behind those that count. Unknown when something else may be there: it is cut off. */
  readonly size?: number | undefined;
}

/** A write failed, and so did taking it back: what the file has is not known until it is read again. */
class CannotUndoError extends DramaturgError<'store/failed'> {
  override readonly name = 'CannotUndoError';

  constructor(cause: unknown) {
    super('store/failed', 'A write failed and could not be taken back.', { cause });
  }
}

/**
 * All that changes files, in one place: what is flushed when, what a failed step leaves, and where a crash may come in
 * between. Small writes are handed to the system at once, which copies them and returns; flushes and renames wait for
 * the device, and are awaited, so that the process can do something else meanwhile.
 */
export class Disk {
  readonly #temporary: string;
  readonly #options: DiskOptions;
  readonly #unflushed = new Set<string>();
  readonly #flushes = new Flushes();
  #flushTimer: NodeJS.Timeout | undefined;
  #drafts = 0;
  /** Why nothing more may be written, if so. */
  #broken: StoreError | undefined;

  /** @param temporary a folder on the same device, for files that are being written */
  constructor(temporary: string, options: DiskOptions) {
    this.#temporary = temporary;
    this.#options = options;
  }

  /**
   * Puts text at the end of what counts in a file. When the system does not take all of it, the file ends where it
   * counted before, as if nothing had been tried.
   *
   * @param point the name of the step, for write points
   * @param room how many zero bytes to put behind the text when the file has to grow. A flush within a file that need
   *   not grow is twice as fast: the device has to know of no other size.
   */
  async append(
    path: string,
    { length, size }: FileExtent,
    text: string,
    point: string,
    until: Durability,
    room = 0,
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
      const written = this.#writeWithReserve(file, length, bytes, fits ? 0 : room, point);
      await this.#flush(file, path, point, until);
      return { length: end, size: fits ? size : length + written };
    } finally {
      closeSync(file);
    }
  }

  /** Makes a file have this text, or what it had before: there is no moment at which it has anything else. */
  async replace(path: string, text: string, point: string): Promise<void> {
    this.check();
    this.#drafts += 1;
    const draft = join(this.#temporary, String(this.#drafts));
    try {
      const file = openSync(draft, 'w');
      try {
        this.#write(file, Buffer.from(text), 0, point);
        // Before the rename: else a power cut may leave the name with an empty file.
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

  /** Makes a file with nothing in it, unless there is one. */
  makeFile(path: string, point: string): void {
    this.check();
    this.#reach(point);
    closeSync(openSync(path, 'a'));
  }

  /** Empties a file of which nothing counts any more, and to which nobody appends meanwhile. */
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

  /** Has the device know the names in a folder. */
  async flushFolder(path: string, point: string, until: Durability): Promise<void> {
    // Windows cannot flush a folder, and writes names through by itself.
    if (process.platform === 'win32') return;
    const folder = openSync(path, 'r');
    try {
      await this.#flush(folder, path, point, until, flushHandle);
    } finally {
      closeSync(folder);
    }
  }

  /** Flushes what was put off. */
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

  /** @throws the reason why nothing may be written, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #reach(point: string): void {
    this.#options.atWritePoint?.(point);
  }

  /** @returns how many bytes were written: where there is no space for the room, there may be for the text */
  #writeWithReserve(
    file: number,
    place: number,
    text: Buffer,
    room: number,
    point: string,
  ): number {
    try {
      const bytes = room === 0 ? text : Buffer.concat([text, Buffer.alloc(room)]);
      this.#write(file, bytes, place, point);
      return bytes.length;
    } catch (error) {
      undo(() => ftruncateSync(file, place), error, room === 0);
      return this.#writeWithReserve(file, place, text, 0, point);
    }
  }

  #write(file: number, bytes: Buffer, place: number, point: string): void {
    this.#reach(`${point}.write`);
    // A crash may leave a part of what was written. One that is being looked for finds half of it here.
    if (this.#options.atWritePoint !== undefined) {
      const half = bytes.length >> 1;
      writeAll(file, bytes.subarray(0, half), place);
      this.#reach(`${point}.write-rest`);
      writeAll(file, bytes.subarray(half), place + half);
    } else writeAll(file, bytes, place);
  }

  async #flush(
    file: number,
    path: string,
    point: string,
    until: Durability,
    flush = (open: number) => this.#flushes.flush(open),
  ): Promise<void> {
    const { fsync: mode } = this.#options;
    if (mode === 'never') return;
    if (until === 'order' || (until === 'device' && mode === 'always')) {
      // What was put off for this file is in this flush.
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
   * After a failed flush nobody can say what the device has, and the system does not tell again: the next flush would
   * succeed without the lost part. So nothing more is written until the files have been read again.
   */
  #flushFailed(cause: unknown): StoreError {
    const reason = new StoreError(
      'store/failed',
      'Flushing to the device failed. Nothing more is written until the store is opened again.',
      { cause },
    );
    this.break(reason);
    return reason;
  }
}

const flushHandle = promisify(fsync);
const renameFile = promisify(rename);
const truncateFile = promisify(truncate);

/** The system may take a part of what it is given. */
function writeAll(file: number, bytes: Buffer, place: number): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, place + written);
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

/** What has gone in the meantime, as a record that was set aside, needs no flush. */
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
