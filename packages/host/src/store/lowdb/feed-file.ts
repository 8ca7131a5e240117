import { join } from 'node:path';
import { checksum } from '../checksum.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { formatFeedLine, parseFeedLine, type StoredFeedLine } from './feed-line.ts';
import { LineFile } from './line-file.ts';
import type { LineRanges } from './line-ranges.ts';
import type { Manifest, ManifestContent } from './manifest.ts';

export interface FeedFileParts {
  /** The data folder of the store. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly manifest: Manifest;
  readonly scheduler: Pick<Scheduler, 'yield'>;
}

/** The feed of a store whose feed file is lost. It is rebuilt when the store is opened. */
export const lostFeed: ManifestContent['feed'] = { name: '', file: '', ranges: [], last: 0 };

/** Each write waits for the device. */
const linesPerWrite = 2_000;

/**
 * The file `feed-<epoch>-<n>.jsonl`: the feed of the writes that are no longer in the log, in their order. It is appended to when
 * segments are removed from the log. When records were deleted, a new file is written without their lines.
 */
export class FeedFile {
  readonly #parts: FeedFileParts;
  #count = 0;
  /** The position of the first line of each range that was looked at. */
  #firsts: { readonly file: string; readonly positions: Map<number, number> } = {
    file: '',
    positions: new Map(),
  };

  constructor(parts: FeedFileParts) {
    this.#parts = parts;
  }

  /** @param last the number of the last write that is in the file now, or has no lines in it */
  async append(lines: Iterable<StoredFeedLine>, last: number): Promise<void> {
    const { folder, files, manifest } = this.#parts;
    const before = manifest.content.feed;
    const ranges = await this.#write(before.file, before.ranges, lines);
    if (before.ranges.length === 0) await files.flushFolder(folder);
    await manifest.change((content) => ({ ...content, feed: { ...before, ranges, last } }));
  }

  /**
   * Removes lines.
   *
   * @param always whether to write a new file even when no line is removed
   */
  async removeAllBut(keeps: (line: StoredFeedLine) => boolean, always: boolean): Promise<void> {
    let isComplete = true;
    if (!always) for await (const line of this.#all()) isComplete &&= keeps(line);
    if (!always && isComplete) return;
    const { feed } = this.#parts.manifest.content;
    const kept: StoredFeedLine[] = [];
    let ranges: LineRanges = [];
    const file = this.#newName();
    for await (const line of this.#all()) {
      if (keeps(line)) kept.push(line);
      if (kept.length === linesPerWrite) ranges = await this.#write(file, ranges, kept.splice(0));
    }
    ranges = await this.#write(file, ranges, kept);
    await this.#replace({ ...feed, file, ranges });
  }

  /** Begins a new feed, whose positions are those of no other one. */
  async rebuild(lines: Iterable<StoredFeedLine>, last: number, randomId: string): Promise<void> {
    const file = this.#newName();
    const ranges = await this.#write(file, [], lines);
    await this.#replace({ name: checksum(randomId), file, ranges, last });
  }

  /**
   * Reads lines behind a position, range by range. Other work gets its turn after each range.
   *
   * @throws `DamageError`
   */
  async *after(
    feed: ManifestContent['feed'],
    position: number,
  ): AsyncGenerator<readonly StoredFeedLine[], void> {
    if (position >= feed.last) return;
    for (let range = await this.#rangeOf(feed, position); range < feed.ranges.length; range += 1) {
      const lines = await this.#linesOf(feed, range);
      yield lines.filter((line) => line.position > position);
      await this.#parts.scheduler.yield();
    }
  }

  /** The last range that begins at or before a position. */
  async #rangeOf(feed: ManifestContent['feed'], position: number): Promise<number> {
    let [low, high] = [0, feed.ranges.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((await this.#firstOf(feed, middle)) <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  async #firstOf(feed: ManifestContent['feed'], range: number): Promise<number> {
    if (this.#firsts.file !== feed.file)
      this.#firsts = { file: feed.file, positions: new Map<number, number>() };
    const { positions } = this.#firsts;
    const known = positions.get(range);
    if (known !== undefined) return known;
    const { position } = (await this.#linesOf(feed, range))[0]!;
    positions.set(range, position);
    return position;
  }

  async #linesOf(
    { file, ranges }: ManifestContent['feed'],
    range: number,
  ): Promise<StoredFeedLine[]> {
    let from = 0;
    for (let index = 0; index < range; index += 1) from += ranges[index]!.lines;
    const texts = await this.#lineFile(file).read(ranges, from, ranges[range]!.lines);
    return texts.map(parseFeedLine);
  }

  async *#all(): AsyncGenerator<StoredFeedLine, void> {
    for await (const lines of this.after(this.#parts.manifest.content.feed, 0)) yield* lines;
  }

  /** Nobody reads the new lines before the manifest has their ranges. */
  async #write(
    file: string,
    ranges: LineRanges,
    lines: Iterable<StoredFeedLine>,
  ): Promise<LineRanges> {
    let written = ranges;
    let texts: string[] = [];
    const writeSlice = async () => {
      written = await this.#lineFile(file).append(written, texts);
      texts = [];
      await this.#parts.scheduler.yield();
    };
    for (const line of lines)
      if (texts.push(formatFeedLine(line)) === linesPerWrite) await writeSlice();
    if (texts.length > 0) await writeSlice();
    return written;
  }

  async #replace(feed: ManifestContent['feed']): Promise<void> {
    const { folder, files, manifest } = this.#parts;
    const old = manifest.content.feed.file;
    await files.flushFolder(folder);
    await manifest.change((content) => ({ ...content, feed }));
    if (old !== '') await files.remove(join(folder, old));
  }

  #newName(): string {
    this.#count += 1;
    return `feed-${this.#parts.manifest.content.epoch}-${this.#count}.jsonl`;
  }

  #lineFile(file: string): LineFile {
    return new LineFile(join(this.#parts.folder, file), this.#parts.files);
  }
}
