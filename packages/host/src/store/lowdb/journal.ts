import { join } from 'node:path';
import { isTurnLong } from '@dramaturg/compiler/machine';
import { checksum } from '../checksum.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, storeClosed } from '../errors.ts';
import type { AnyWrite } from '../records.ts';
import { pacer } from '../slices.ts';

/** A line of the journal: one write. */
export interface JournalLine {
  /** The number of the write: from 1, without a gap, never used twice. */
  readonly number: number;
  /** The device had all writes up to this number when the line was written. */
  readonly flushed: number;
  /** The checksum of the id in the previous line, so that the record of one damaged line is known. Erasing an id leaves no copy of it. */
  readonly previous: string;
  readonly write: AnyWrite;
}

const linePrefix = '{"sum":"';
const lineHead = `${linePrefix}00000000",`.length;

/** Formats a line. `sum` is the checksum of everything after it. */
function formatLine(line: JournalLine): Buffer {
  const bytes = Buffer.from(`${linePrefix}00000000",${JSON.stringify(line).slice(1)}\n`);
  bytes.write(checksum(bytes.subarray(lineHead, -1)), linePrefix.length, 'latin1');
  return bytes;
}

/** Whether a line, without its line break, is as it was written. */
function isSound(bytes: Buffer): boolean {
  const head = `${linePrefix}${checksum(bytes.subarray(lineHead))}",`;
  return bytes.toString('latin1', 0, lineHead) === head;
}

/** A readable line, with its bytes. */
export type FoundLine = JournalLine & { readonly bytes: Buffer };

/** Finds the readable lines of a journal. Other lines are skipped. */
export async function readableLines(
  bytes: Buffer,
  scheduler: Pick<Scheduler, 'yield'>,
): Promise<readonly FoundLine[]> {
  const found: FoundLine[] = [];
  const pace = pacer(scheduler);
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(10, offset);
    const next = end === -1 ? bytes.length : end + 1;
    const line = bytes.subarray(offset, end);
    if (end !== -1 && isSound(line)) {
      if (isTurnLong()) await scheduler.yield();
      const parsed = JSON.parse(line.toString()) as JournalLine;
      found.push({ ...parsed, bytes: bytes.subarray(offset, next) });
    }
    await pace(next - offset);
    offset = next;
  }
  return found;
}

/** The last line of a journal. */
export interface LastWrite {
  readonly number: number;
  /** The checksum of the id of its record. */
  readonly sum: string;
}

export function sumOfId({ id }: Pick<AnyWrite, 'id'>): string {
  return checksum(id);
}

export interface JournalOptions {
  /** The data folder. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly epoch: number;
  /** Called when another owner has taken the store. */
  readonly onLost: (error: StoreError) => void;
}

/**
 * The journal of all writes. Owns its file, the numbers of writes and the mark. Its operations are called one after another.
 *
 * States: working → broken. After a failed flush the content of the device is unknown, and after the loss of the lock the store
 * belongs to another owner: from then on, everything is refused with the reason.
 */
export class Journal {
  readonly #options: JournalOptions;
  #name = '';
  #file: OpenFile | undefined;
  /** The number of valid bytes of the file. */
  #length = 0;
  /** The number of all bytes of the file: the valid ones, and reserved zeros. */
  #size = 0;
  #written: number;
  #flushed: number;
  #previous = '';
  #count = 0;
  #mark: OpenFile | undefined;
  #broken: StoreError | undefined;

  /** @param last the last write on the device */
  constructor(options: JournalOptions, last: LastWrite) {
    this.#options = options;
    this.#written = last.number;
    this.#flushed = last.number;
    this.#previous = last.sum;
  }

  get name(): string {
    return this.#name;
  }

  /** The number of its valid bytes. */
  get length(): number {
    return this.#length;
  }

  /** The number of the last write that the device has. */
  get flushed(): number {
    return this.#flushed;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  get path(): string {
    return join(this.#options.folder, this.#name);
  }

  /** @throws the reason why writes are refused, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** Refuses everything from now on. */
  break(reason: StoreError): void {
    this.#broken ??= reason;
  }

  /** Appends writes. When it rejects, nothing was written, or the journal is broken. */
  async append(writes: readonly AnyWrite[]): Promise<void> {
    this.check();
    let [number, previous] = [this.#written, this.#previous];
    const lines: Buffer[] = [];
    for (const write of writes) {
      number += 1;
      lines.push(formatLine({ number, flushed: this.#flushed, previous, write }));
      previous = sumOfId(write);
      if (isTurnLong()) await this.#options.scheduler.yield();
    }
    const bytes = lines.length === 1 ? lines[0]! : Buffer.concat(lines);
    try {
      await this.#write(this.#file!, bytes);
      await this.#checkStillOwned();
    } catch (error) {
      if (!this.isBroken) await this.#undo(error);
      throw error;
    }
    this.#length += bytes.length;
    [this.#written, this.#previous] = [number, previous];
  }

  /** Waits until the device has all writes. */
  async flush(): Promise<void> {
    this.check();
    if (this.#written === this.#flushed) return;
    const number = this.#written;
    try {
      await this.#file!.flush();
      this.#mark ??= await this.#options.files.open(join(this.#options.folder, markName), 'write');
      // Without a flush of its own: after a power cut the mark may be too low, which does no harm.
      await this.#mark.write(markOf(number), 0);
    } catch (cause) {
      // The system reports a failed flush only once: the next one would succeed without the lost part.
      this.fail('Flushing to the device failed.', cause);
    }
    this.#flushed = number;
  }

  /**
   * Continues in a new file.
   *
   * @param kept the lines that the new file begins with
   * @param publish stores the name of the new file, or breaks the journal when it is not known whether that has happened
   */
  async renew(kept: Buffer, publish: (name: string) => Promise<void>): Promise<void> {
    this.check();
    const { folder, files, epoch } = this.#options;
    this.#count += 1;
    const name = `journal-${epoch}-${this.#count}.jsonl`;
    const path = join(folder, name);
    const file = await files.open(path, 'new');
    try {
      await file.write(kept, 0);
      await file.flush();
      await files.flushFolder(folder);
      await publish(name);
    } catch (error) {
      await file.close();
      throw error;
    }
    const before = this.#file;
    [this.#file, this.#name, this.#length, this.#size] = [file, name, kept.length, kept.length];
    this.#flushed = this.#written;
    await before?.close();
  }

  /** Reads from an offset to the end. */
  async read(offset: number): Promise<Buffer> {
    return this.#file!.read(offset, this.#length - offset);
  }

  async close(): Promise<void> {
    this.break(storeClosed());
    await this.#file?.close();
    await this.#mark?.close();
  }

  /** Refuses everything from now on, until the store is opened again. */
  fail(reason: string, cause: unknown): never {
    const message = `${reason} All writes are refused until the store is opened again.`;
    this.break(new StoreError('store/failed', message, { cause }));
    throw this.#broken!;
  }

  /** The reason of a failure: an operation may have failed because another owner has renamed the data folder. */
  async reasonOf(error: unknown): Promise<unknown> {
    try {
      await this.#checkStillOwned();
      return error;
    } catch (reason) {
      return reason instanceof StoreError ? reason : error;
    }
  }

  /**
   * A new owner that assumes that this one is dead renames the data folder. Earlier writes belong to the store, later ones do not.
   *
   * @throws `store/lost`
   */
  async #checkStillOwned(): Promise<void> {
    if ((await this.#options.files.stat(this.path)) !== undefined) return;
    const message = `Another owner has taken the store: ${this.path} is gone. This process writes nothing more. Stop it.`;
    const lost = new StoreError('store/lost', message);
    this.break(lost);
    this.#options.onLost(lost);
    throw lost;
  }

  /**
   * Writes bytes with reserved zeros after them, in proportion to the file. A flush takes half the time when the file does not
   * grow.
   */
  async #write(file: OpenFile, bytes: Buffer): Promise<void> {
    const end = this.#length + bytes.length;
    if (end > this.#size) {
      const reserve = Math.min(end, reserveMax);
      try {
        await file.write(Buffer.concat([bytes, Buffer.alloc(reserve)]), this.#length);
        this.#size = end + reserve;
        return;
      } catch {
        // There may be space for the bytes, but not for the reserve.
        this.#size = end;
      }
    }
    await file.write(bytes, this.#length);
  }

  /** Cuts off an incomplete write. */
  async #undo(error: unknown): Promise<void> {
    try {
      await this.#file!.truncate(this.#length);
      await this.#file!.flush();
      this.#size = this.#length;
    } catch (second) {
      this.fail('A write failed and could not be undone.', new AggregateError([error, second]));
    }
  }
}

const reserveMax = 1 << 18;

export const markName = 'mark';

/** The number of a write that the device has, with its checksum. It proves how far the journal reached. */
export function markOf(number: number): Buffer {
  const text = String(number).padStart(16, '0');
  return Buffer.from(`${text} ${checksum(text)}\n`);
}

/** @returns 0 for a mark that a power cut has torn or lost */
export function numberOfMark(bytes: Buffer | undefined): number {
  const number = Number(bytes?.toString('latin1', 0, 16));
  return Number.isSafeInteger(number) && bytes?.equals(markOf(number)) === true ? number : 0;
}
