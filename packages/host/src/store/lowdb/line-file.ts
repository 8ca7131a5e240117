import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamageError } from '../damage-error.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { systemCodeOf } from '../errors.ts';
import { appended, bytesIn, type LineRange, type LineRanges } from './line-ranges.ts';

/** A file to which lines are appended: a journal or a transcript. Its valid ranges are stored elsewhere. */
export class LineFile {
  readonly #path: string;
  readonly #files: FileSystem;

  constructor(path: string, files: FileSystem) {
    this.#path = path;
    this.#files = files;
  }

  /**
   * Reads lines by number and compares the checksums of their ranges.
   *
   * @param count the maximum number of lines
   * @throws `DamageError` when the file differs from what was written
   */
  async read(ranges: LineRanges, from: number, count: number): Promise<string[]> {
    const wanted: string[] = [];
    const end = from + count;
    let [line, offset] = [0, 0];
    let file: OpenFile | undefined;
    try {
      for (const range of ranges) {
        if (line >= end) break;
        if (line + range.lines > from) {
          file ??= await this.#open();
          const lines = await this.#readRange(file, range, offset);
          for (const text of lines.slice(Math.max(0, from - line), end - line)) wanted.push(text);
        }
        line += range.lines;
        offset += range.bytes;
      }
      return wanted;
    } finally {
      await file?.close();
    }
  }

  /**
   * Appends lines and flushes them. Readers ignore them until the returned ranges are stored.
   *
   * @param draft writes a new file instead, by way of this path: a lost owner may still have the old one open
   * @returns the new ranges of the file
   */
  async append(ranges: LineRanges, lines: readonly string[], draft?: string): Promise<LineRanges> {
    if (lines.length === 0) return ranges;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const offset = bytesIn(ranges);
    if (draft !== undefined && offset > 0) {
      const old = (await this.#files.readFile(this.#path)).subarray(0, offset);
      await replaceFile(this.#files, draft, this.#path, [old, bytes]);
      return appended(ranges, lines);
    }
    const file = await this.#files.open(this.#path, 'write');
    try {
      if ((await file.size()) > offset) await file.truncate(offset);
      await file.write(bytes, offset);
      await file.flush();
    } finally {
      await file.close();
    }
    return appended(ranges, lines);
  }

  async #open(): Promise<OpenFile> {
    try {
      return await this.#files.open(this.#path, 'read');
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      throw new DamageError(`Its file ${basename(this.#path)} is missing.`, { cause: error });
    }
  }

  async #readRange(file: OpenFile, range: LineRange, offset: number): Promise<string[]> {
    const bytes = await file.read(offset, range.bytes);
    const name = basename(this.#path);
    if (bytes.length < range.bytes)
      throw new DamageError(`Its file ${name} is shorter than what was written.`);
    if (range.sum !== undefined && crc32(bytes) !== range.sum)
      throw new DamageError(
        `Its file ${name} differs from what was written: the checksum does not match.`,
      );
    const lines = bytes.toString().split('\n');
    if (lines.pop() !== '' || lines.length !== range.lines)
      throw new DamageError(`Its file ${name} does not have ${range.lines} lines where it should.`);
    return lines;
  }
}
