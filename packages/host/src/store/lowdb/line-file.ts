import type { Disk } from '../disk/disk.ts';
import { type LineExtent, emptyExtent } from './line-extent.ts';
import { checkExtent, readLines } from './read-lines.ts';

/**
 * The journal or the transcript of a record. Lines that were written lately are in the log only, and here in memory,
 * until they are put into their file, some at a time.
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
   * @throws `DamageError` when the file is shorter than it has been
   */
  load(extent: LineExtent, tail: string[]): void {
    checkExtent(this.#path, extent);
    this.#extent = extent;
    this.#tail = tail;
  }

  /** Takes lines that are in the log. */
  add(lines: readonly string[]): void {
    for (const line of lines) this.#tail.push(line);
  }

  /** @throws `DamageError` when the file has fewer lines than it has had */
  read(from: number, limit: number): string[] {
    const stored = readLines(this.#path, this.#extent, from, limit);
    const tailFrom = Math.max(0, from - this.#extent.lines);
    return [...stored, ...this.#tail.slice(tailFrom, tailFrom + limit - stored.length)];
  }

  /**
   * Puts a number of lines from the tail into the file. They do not count there before `counts` is called.
   *
   * @returns how far the file then counts
   */
  async compact(count: number, point: string): Promise<LineExtent> {
    if (count === 0) return this.#extent;
    const { lines, bytes } = this.#extent;
    const text = `${this.#tail.slice(0, count).join('\n')}\n`;
    const { length } = await this.#disk.append(this.#path, { length: bytes }, text, point, 'order');
    return { lines: lines + count, bytes: length };
  }

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
