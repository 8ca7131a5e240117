import type { OpenFile } from '../../disk/file-system.ts';
import { StoreError, systemFailure } from '../../errors.ts';
import { batchIntervalMs } from '../../fsync.ts';
import type { FeedLine } from '../feed-line.ts';
import type { WritePlace } from '../record-places.ts';
import { checkStillOwned, reasonOf } from '../still-owned.ts';
import { formatLine, type LogEntry, type LogPosition } from './line.ts';
import type { Durability, LogOptions } from './log-options.ts';
import type { SegmentInfo } from './segment.ts';
import { Segment } from './segment-file.ts';

/**
 * The log of all writes of a store. Owns its segments, the chain of lines and the deferred flush. A write is stored when
 * its line is in the log. The appends of all records that are called during a flush are written together afterwards,
 * and share the next flush (group commit).
 *
 * A failed write is undone, and the next one begins a new segment, so that no byte of a segment is written twice (see
 * `readSegment`).
 *
 * States: working → broken. After a failed flush the content of the device is unknown, and after the loss of the lock
 * the store belongs to another owner: every later append throws the reason.
 */
export class Log {
  readonly #options: LogOptions;
  /** The oldest first. The last one is written to. */
  readonly #segments: Segment[];
  #file: OpenFile | undefined;
  /** Valid bytes of the last segment. */
  #length = 0;
  /** All bytes of the last segment: the valid ones, and reserved zeros. */
  #size = 0;
  #position: LogPosition;
  #flushed: number;
  #stored: number;
  #count = 0;
  #isFull = true;
  #queue: Append[] = [];
  #isWorking = false;
  #isFlushPlanned = false;
  #broken: StoreError | undefined;

  constructor(options: LogOptions, segments: readonly Segment[], position: LogPosition) {
    this.#options = options;
    this.#segments = [...segments];
    this.#position = { ...position, id: '' };
    this.#flushed = position.number;
    this.#stored = position.number;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** The number of the last write that the device has. */
  get flushed(): number {
    return this.#flushed;
  }

  get position(): LogPosition {
    return this.#position;
  }

  /** The number of the last write that is stored. */
  get stored(): number {
    return this.#stored;
  }

  /**
   * Stores writes. Nothing is stored when the promise rejects, unless the code is `store/failed` or `store/lost`.
   *
   * @returns the number of the first one. The others follow it.
   */
  append(entries: readonly LogEntry[], durability: Durability): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entries, durability, resolve, reject });
      if (!this.#isWorking) void this.#work();
    });
  }

  /** Flushes everything that was appended before. */
  async flush(): Promise<void> {
    await this.append([], 'order');
  }

  /** Flushes and completes the segment that is written to. The next append begins another one. */
  async complete(): Promise<void> {
    this.#isFull = true;
    await this.flush();
  }

  /** Removes the oldest segments, whose writes are compacted. */
  async removeOldest(count: number): Promise<void> {
    if (count === 0) return;
    const removed = this.#segments.slice(0, count);
    const names = removed.map(({ name }) => name);
    const compacted = { ...removed.at(-1)!.end!.position, id: '' };
    await this.#options.manifest.change((content) => ({
      ...content,
      segments: content.segments.filter(({ name }) => !names.includes(name)),
      compacted,
    }));
    this.#segments.splice(0, count);
    for (const segment of removed) {
      await segment.close();
      await this.#options.files.remove(segment.path);
    }
  }

  async close(): Promise<void> {
    for (const segment of this.#segments) await segment.close();
  }

  /** Returns a number for a record that is stored without a line. To be called before the first append. */
  skipNumber(): number {
    this.#position = { ...this.#position, number: this.#position.number + 1 };
    this.#flushed = this.#position.number;
    this.#stored = this.#position.number;
    return this.#position.number;
  }

  /** The segments with everything that is stored now. */
  get content(): readonly SegmentInfo[] {
    const end = { bytes: this.#length, position: this.#position };
    return this.#segments.map(({ info }) => ({ end, ...info }));
  }

  /** Refuses every append from now on. */
  break(reason: StoreError): void {
    this.#broken ??= reason;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** @throws the reason why appends are refused, if there is one */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // Collects the appends of all records that are called in the same turn.
    await this.#options.scheduler.yield();
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0);
      try {
        await this.#appendGroup(group);
        for (const { entries, resolve } of group) {
          resolve(this.#stored + 1);
          this.#stored += entries.length;
        }
      } catch (error) {
        const { folder, files } = this.#options;
        const reason = await reasonOf(error, folder, files);
        if (reason instanceof StoreError && reason.code === 'store/lost') this.#lose(reason);
        for (const { reject } of group) reject(reason);
      }
    }
    this.#isWorking = false;
  }

  #lose(reason: StoreError): void {
    this.break(reason);
    this.#options.owner.lose(reason);
  }

  async #appendGroup(group: readonly Append[]): Promise<void> {
    this.check();
    await this.#options.owner.check();
    this.check();
    const entries = group.flatMap((append) => append.entries);
    if (entries.length > 0) await this.#write(entries);
    const { fsync } = this.#options;
    const isNeeded = ({ durability }: Append) =>
      durability === 'order' || (durability === 'device' && fsync === 'always');
    if (this.#isFull || group.some(isNeeded)) await this.#flush();
    else if (fsync !== 'never') this.#planFlush();
    if (this.#isFull) this.#completeLast();
  }

  async #write(entries: readonly LogEntry[]): Promise<void> {
    if (this.#isFull) await this.#startSegment();
    const segment = this.#segments.at(-1)!;
    const { epoch } = this.#options.manifest.content;
    const { places } = this.#options;
    const written: [string, WritePlace][] = [];
    const lines: Buffer[] = [];
    const feed: FeedLine[] = [];
    let position = this.#position;
    let offset = this.#length;
    const last = new Map<string, number>();
    for (const entry of entries) {
      const { id, type } = entry.write;
      const known = last.get(id) ?? places.get(id)?.last ?? 0;
      const before = type === 'create' ? 0 : known;
      const line = formatLine(position, entry, { before, epoch, flushed: this.#flushed });
      const { length } = line.bytes;
      position = line.position;
      const { number } = position;
      const isDeletion = type === 'delete';
      written.push([id, { number, segment, offset, length: length - 1, isDeletion }]);
      if (entry.from !== undefined && 'journal' in entry.write)
        feed.push({ position: number, id, from: entry.from, lines: entry.write.journal.length });
      last.set(id, number);
      lines.push(line.bytes);
      offset += length;
    }
    await this.#writeBytes(Buffer.concat(lines));
    await checkStillOwned(segment.path, this.#options.files);
    // The device may not have the lines yet: compaction flushes the log before it relies on them.
    for (const [id, place] of written) places.add(id, place);
    for (const line of feed) segment.feed.push(line);
    this.#position = position;
    this.#length = offset;
    if (offset >= this.#options.segmentSize) this.#isFull = true;
  }

  async #writeBytes(bytes: Buffer): Promise<void> {
    const file = this.#file!;
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
   * Writes zeros behind the bytes, in proportion to the segment. A flush within a file that does not grow takes half the
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

  /** Cuts off an incomplete write. The segment is complete then: see `readSegment`. */
  async #undo(file: OpenFile, error: unknown): Promise<void> {
    this.#isFull = true;
    try {
      await file.truncate(this.#length);
      await file.flush();
    } catch (second) {
      const cause = new AggregateError([error, second]);
      const message =
        'A write failed and could not be undone. All writes are refused until the store is opened again.';
      this.break(new StoreError('store/failed', message, { cause }));
      this.check();
    }
  }

  async #startSegment(): Promise<void> {
    await this.#flush();
    this.#completeLast();
    const last = this.#segments.at(-1);
    const { folder, files, manifest } = this.#options;
    this.#count += 1;
    const name = `${manifest.content.epoch}-${this.#count}.jsonl`;
    const segment = new Segment(folder, files, { name, after: this.#position });
    // The device has the name before the manifest refers to it.
    const file = await segment.create();
    await files.flushFolder(folder);
    await manifest.change(({ segments, ...content }) => ({
      ...content,
      segments: [
        ...segments.map((info) => (info.name === last?.name ? last.info : info)),
        segment.info,
      ],
    }));
    this.#segments.push(segment);
    this.#file = file;
    this.#length = 0;
    this.#size = 0;
    this.#isFull = false;
  }

  #completeLast(): void {
    const last = this.#segments.at(-1);
    if (last === undefined || last.end !== undefined) return;
    last.end = { bytes: this.#length, position: this.#position };
    // The next segment does not repeat an id of this one: the record may be deleted.
    this.#position = { ...this.#position, id: '' };
  }

  async #flush(): Promise<void> {
    const { number } = this.#position;
    if (this.#file === undefined || number === this.#flushed) return;
    try {
      await this.#file.flush();
      this.#flushed = number;
    } catch (cause) {
      // The system reports a failed flush only once: the next one would succeed without the lost part.
      const message =
        'Flushing to the device failed. All writes are refused until the store is opened again.';
      this.break(new StoreError('store/failed', message, { cause }));
      this.check();
    }
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#position.number === this.#flushed) return;
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
  readonly entries: readonly LogEntry[];
  readonly durability: Durability;
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}
