import { join } from 'node:path';
import { checksum } from '../checksum.ts';
import { DamageError } from '../damage-error.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemFailure } from '../errors.ts';
import { batchIntervalMs, type FsyncMode } from '../fsync.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import type { Write } from '../write.ts';
import {
  type DeleteWrite,
  formatLine,
  type JournalEntry,
  type JournalLine,
  parseLine,
  summaryWriteOf,
} from './journal-line.ts';
import { type JournalFile, type Manifest, manifestName } from './manifest.ts';
import type { Places, WritePlace } from './places.ts';

/** A file of the journal that can be read. */
export type OpenJournalFile = JournalFile & { readonly file: OpenFile };

/**
 * What a write waits for. `system`: the system has it. `device`: as the mode of the store says. `order`: the device has it in
 * all modes.
 */
export type Durability = 'system' | 'device' | 'order';

export interface JournalOptions {
  /** The data folder. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  readonly places: Places;
  readonly fsync: FsyncMode;
  readonly owner: Pick<OwnerLock, 'check' | 'lose'>;
  readonly onError: (error: StoreError) => void;
  /** Called for each write when it is stored, in their order, before its promise fulfils. */
  readonly onStored: (entry: JournalEntry, place: WritePlace) => void;
}

/**
 * The journal of all writes of a store. Owns its files, the numbers of writes, the mark and the deferred flush. A write is stored
 * when its line is in the journal. The writes of all records that are called during a flush are appended together afterwards,
 * and share the next flush (group commit).
 *
 * A failed write is undone, and the next one begins a new file, so that no byte of a file is written twice.
 *
 * States: working → broken. After a failed flush the content of the device is unknown, and after the loss of the lock
 * the store belongs to another owner: every later append throws the reason.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** The oldest first. The last one is written to, unless it has an end. */
  #journals: readonly OpenJournalFile[];
  /** Valid bytes of the last file. */
  #length = 0;
  /** All bytes of the last file: the valid ones, and reserved zeros. */
  #size = 0;
  #written: number;
  #flushed: number;
  #stored: number;
  /** The id of the record of the last line. */
  #previous = '';
  #count = 0;
  #isFull = true;
  #queue: Append[] = [];
  #isWorking = false;
  #isFlushPlanned = false;
  #mark: OpenFile | undefined;
  #broken: StoreError | undefined;

  /** @param number the number of the last write */
  constructor(options: JournalOptions, journals: readonly OpenJournalFile[], number: number) {
    this.#options = options;
    this.#journals = journals;
    this.#written = number;
    this.#flushed = number;
    this.#stored = number;
  }

  /** The number of the last write that is stored. */
  get stored(): number {
    return this.#stored;
  }

  /** The number of the last write that the device has. */
  get flushed(): number {
    return this.#flushed;
  }

  /** Bytes of all files. */
  get length(): number {
    return this.#journals.reduce((sum, { end }) => sum + (end?.bytes ?? this.#length), 0);
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** The files with everything that is stored now. */
  get content(): readonly JournalFile[] {
    const end = { number: this.#written, bytes: this.#length };
    return this.#journals.map(({ name, after, end: own }) => ({ name, after, end: own ?? end }));
  }

  /**
   * Stores writes. Nothing is stored when the promise rejects, unless the code is `store/failed` or `store/lost`.
   *
   * @returns the number of the first one. The others follow it.
   */
  append(entries: readonly JournalEntry[], durability: Durability): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entries, durability, resolve, reject });
      if (!this.#isWorking) void this.#work();
    });
  }

  /** Flushes everything that was appended before. */
  async flush(): Promise<void> {
    await this.append([], 'order');
  }

  /**
   * Completes the file that is written to. The next append begins another one.
   *
   * @returns the number of files that are complete
   */
  async complete(): Promise<number> {
    this.#isFull = true;
    await this.flush();
    return this.#journals.filter(({ end }) => end !== undefined).length;
  }

  /** Removes the oldest files, which the manifest no longer names. */
  async removeOldest(count: number): Promise<void> {
    const removed = this.#journals.slice(0, count);
    this.#journals = this.#journals.slice(count);
    for (const { file, name } of removed) {
      await file.close();
      await this.#options.files.remove(join(this.#options.folder, name));
    }
  }

  async close(): Promise<void> {
    for (const { file } of this.#journals) await file.close();
    await this.#mark?.close();
  }

  /** Refuses every append from now on. */
  break(reason: StoreError): void {
    this.#broken ??= reason;
  }

  /** @throws the reason why appends are refused, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** The reason of a failure: an operation may have failed because another owner has renamed the data folder. */
  async reasonOf(error: unknown): Promise<unknown> {
    try {
      await this.#checkStillOwned(manifestName);
      return error;
    } catch (reason) {
      return reason instanceof StoreError ? reason : error;
    }
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // Collects the appends of all records that are called in the same turn.
    await this.#options.scheduler.yield();
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0);
      try {
        await this.#appendGroup(group);
      } catch (error) {
        const reason = await this.reasonOf(error);
        for (const { reject } of group) reject(reason);
      }
    }
    this.#isWorking = false;
  }

  async #appendGroup(group: readonly Append[]): Promise<void> {
    const { fsync, owner, onStored } = this.#options;
    this.check();
    await owner.check();
    this.check();
    const entries = group.flatMap((append) => append.entries);
    const places = entries.length > 0 ? await this.#write(entries) : [];
    const isNeeded = ({ durability }: Append) =>
      durability === 'order' || (durability === 'device' && fsync === 'always');
    if (this.#isFull || group.some(isNeeded)) await this.#flush();
    else if (fsync !== 'never') this.#planFlush();
    if (this.#isFull) this.#completeLast();
    for (const [index, place] of places.entries()) onStored(entries[index]!, place);
    for (const append of group) {
      append.resolve(this.#stored + 1);
      this.#stored += append.entries.length;
    }
  }

  async #write(entries: readonly JournalEntry[]): Promise<readonly WritePlace[]> {
    if (this.#isFull) await this.#startFile();
    const { file, name } = this.#journals.at(-1)!;
    const { places } = this.#options;
    const written: WritePlace[] = [];
    const lines: Buffer[] = [];
    const last = new Map<string, number>();
    let [number, offset, previous] = [this.#written, this.#length, this.#previous];
    for (const entry of entries) {
      const { id, type } = entry.write;
      const known = last.get(id) ?? places.get(id)?.lastWrite ?? 0;
      const before = type === 'create' ? 0 : known;
      number += 1;
      const line = formatLine(entry, { number, before, flushed: this.#flushed, previous });
      written.push({ number, file, offset, length: line.length - 1 });
      last.set(id, number);
      lines.push(line);
      offset += line.length;
      previous = id;
    }
    await this.#writeBytes(file, Buffer.concat(lines));
    await this.#checkStillOwned(name);
    [this.#written, this.#length, this.#previous] = [number, offset, previous];
    return written;
  }

  /**
   * A new owner that takes this one for dead renames the data folder. What was written before that belongs to the store, and what
   * was written after it does not.
   *
   * @throws `store/lost`
   */
  async #checkStillOwned(name: string): Promise<void> {
    const { folder, files, owner } = this.#options;
    const path = join(folder, name);
    if ((await files.stat(path)) !== undefined) return;
    const message = `Another owner has taken the store: ${path} is gone. This process writes nothing more. Stop it.`;
    const lost = new StoreError('store/lost', message);
    this.break(lost);
    owner.lose(lost);
    throw lost;
  }

  async #writeBytes(file: OpenFile, bytes: Buffer): Promise<void> {
    const end = this.#length + bytes.length;
    try {
      if (end <= this.#size) await file.write(bytes, this.#length);
      else this.#size = await this.#writeWithReserve(file, bytes, end);
    } catch (error) {
      await this.#undo(file, error);
      throw error;
    }
  }

  /**
   * Writes zeros after the bytes, in proportion to the file. A flush within a file that does not grow takes half the
   * time, because its size does not change.
   *
   * @returns the new size of the file
   */
  async #writeWithReserve(file: OpenFile, bytes: Buffer, end: number): Promise<number> {
    const reserve = Math.min(end, reserveMax);
    try {
      await file.write(Buffer.concat([bytes, Buffer.alloc(reserve)]), this.#length);
      return end + reserve;
    } catch {
      // Without space for the reserve, there may be space for the write.
      await file.write(bytes, this.#length);
      return end;
    }
  }

  /** Cuts off an incomplete write. The file is complete then. */
  async #undo(file: OpenFile, error: unknown): Promise<void> {
    this.#isFull = true;
    try {
      await file.truncate(this.#length);
      await file.flush();
    } catch (second) {
      const cause = new AggregateError([error, second]);
      this.#fail('A write failed and could not be undone.', cause);
    }
  }

  async #startFile(): Promise<void> {
    await this.#flush();
    this.#completeLast();
    const { folder, files, manifest } = this.#options;
    this.#count += 1;
    const name = `journal-${manifest.content.epoch}-${this.#count}.jsonl`;
    const file = await files.open(join(folder, name), 'new');
    const journal = { name, after: this.#written };
    try {
      // The device has the name before the manifest refers to it.
      await files.flushFolder(folder);
      const complete = new Map(this.content.map((each) => [each.name, each]));
      // Folding may have removed some from the manifest since.
      await manifest.change((content) => ({
        ...content,
        journals: [...content.journals.map((each) => complete.get(each.name) ?? each), journal],
      }));
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#journals = [...this.#journals, { ...journal, file }];
    [this.#length, this.#size, this.#previous, this.#isFull] = [0, 0, '', false];
  }

  #completeLast(): void {
    const last = this.#journals.at(-1);
    if (last === undefined || last.end !== undefined) return;
    const end = { number: this.#written, bytes: this.#length };
    this.#journals = [...this.#journals.slice(0, -1), { ...last, end }];
  }

  async #flush(): Promise<void> {
    const number = this.#written;
    if (number === this.#flushed) return;
    try {
      await this.#journals.at(-1)!.file.flush();
    } catch (cause) {
      // The system reports a failed flush only once: the next one would succeed without the lost part.
      this.#fail('Flushing to the device failed.', cause);
    }
    try {
      await this.#writeMark(number);
    } catch (cause) {
      this.#fail('The mark of the journal could not be written.', cause);
    }
    this.#flushed = number;
  }

  /** Without a flush of its own: a mark that a power cut takes back is too low, which does no harm. */
  async #writeMark(number: number): Promise<void> {
    const { folder, files } = this.#options;
    this.#mark ??= await files.open(join(folder, markName), 'write');
    await this.#mark.write(markOf(number), 0);
  }

  #fail(reason: string, cause: unknown): never {
    const message = `${reason} All writes are refused until the store is opened again.`;
    this.break(new StoreError('store/failed', message, { cause }));
    throw this.#broken!;
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#written === this.#flushed) return;
    this.#isFlushPlanned = true;
    void this.#options.scheduler.pause(batchIntervalMs).then(async () => {
      this.#isFlushPlanned = false;
      if (this.isBroken) return;
      await this.flush().catch((error: unknown) => {
        this.#options.onError(systemFailure('Flushing to the device', error));
      });
    });
  }
}

const reserveMax = 1 << 18;

interface Append {
  readonly entries: readonly JournalEntry[];
  readonly durability: Durability;
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

export const markName = 'mark';

/** The number of a write that the device has, with its checksum. It proves how far the journal reached. */
function markOf(number: number): Buffer {
  const text = String(number).padStart(16, '0');
  return Buffer.from(`${text} ${checksum(text)}\n`);
}

/** @returns 0 for a mark that was torn by a power cut, or lost by it */
export function numberOfMark(bytes: Buffer | undefined): number {
  const number = Number(bytes?.toString('latin1', 0, 16));
  return Number.isSafeInteger(number) && bytes?.equals(markOf(number)) === true ? number : 0;
}

/** A line that can be read, in its place, with what a summary needs of its write. */
export interface FoundLine extends Omit<JournalLine, 'fields'> {
  readonly place: WritePlace;
  readonly write: Write | DeleteWrite;
}

/** The lines of a file of the journal that can be read. The rest is skipped. */
export async function readableLines(
  { file, end }: OpenJournalFile,
  scheduler: Pick<Scheduler, 'yield'>,
): Promise<readonly FoundLine[]> {
  const bytes = await file.read(0, end?.bytes ?? (await file.size()));
  const found: FoundLine[] = [];
  let parsedBytes = 0;
  for (let offset = 0; offset < bytes.length;) {
    const next = bytes.indexOf(10, offset);
    const length = (next === -1 ? bytes.length : next) - offset;
    const line = parseLine(bytes.subarray(offset, offset + length));
    if (line !== undefined) {
      const { fields: _, ...head } = line;
      const place = { number: line.number, file, offset, length };
      found.push({ ...head, place, write: summaryWriteOf(line) });
    }
    offset += length + 1;
    parsedBytes += length;
    if (parsedBytes > bytesPerSlice) {
      parsedBytes = 0;
      await scheduler.yield();
    }
  }
  return found;
}

/** Bytes that are parsed before other work gets its turn: about a millisecond. */
const bytesPerSlice = 1 << 18;

/** @throws `DamageError` when the line differs from what was written */
export async function readLine(
  id: string,
  { number, file, offset, length }: WritePlace,
): Promise<JournalLine> {
  const line = parseLine(await file.read(offset, length));
  if (line?.number === number && line.id === id) return line;
  throw new DamageError(`Its write ${number} in the journal differs from what was written.`);
}
