import type { Disk } from '../disk/disk.ts';
import { type LineExtent, emptyExtent } from './line-extent.ts';
import { checkExtent, readLines } from './read-lines.ts';

/**
 * The journal or the transcript of a record. Owns its file and the tail: the newest lines, which are in the log and in
 * memory until compaction moves them into the file.
 */
export class LineFile {
  readonly #path: string;
  readonly #disk: Disk;
  #extent = emptyExtent;
  #tail: string[] = [];

  constructor(path: string, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
  }

  /**
   * @param tail the lines in the log
   * @throws `DamageError` when the file is shorter than its extent
   */
  load(extent: LineExtent, tail: string[]): void {
    checkExtent(this.#path, extent);
    this.#extent = extent;
    this.#tail = tail;
  }

  /** Adds lines that are in the log. */
  add(lines: readonly string[]): void {
    for (const line of lines) this.#tail.push(line);
  }

  /** @throws `DamageError` when the file has fewer lines than its extent */
  read(from: number, limit: number): string[] {
    const stored = readLines(this.#path, this.#extent, from, limit);
    const tailFrom = Math.max(0, from - this.#extent.lines);
    return [...stored, ...this.#tail.slice(tailFrom, tailFrom + limit - stored.length)];
  }

  /**
   * Appends the first lines of the tail to the file. Readers ignore them in the file until `setExtent` is called.
   *
   * @returns the new extent of the file
   */
  async compact(count: number, point: string): Promise<LineExtent> {
    if (count === 0) return this.#extent;
    const { lines, bytes } = this.#extent;
    const text = `${this.#tail.slice(0, count).join('\n')}\n`;
    const { length } = await this.#disk.append(this.#path, { length: bytes }, text, point, 'order');
    return { lines: lines + count, bytes: length };
  }

  /** Makes the compacted lines valid in the file and removes them from the tail. */
  setExtent(extent: LineExtent): void {
    this.#tail = this.#tail.slice(extent.lines - this.#extent.lines);
    this.#extent = extent;
  }

  get willCreateFile(): boolean {
    return this.#extent.bytes === 0 && this.#tail.length > 0;
  }

  get tailLength(): number {
    return this.#tail.length;
  }
}
