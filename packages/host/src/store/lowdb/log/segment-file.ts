import { join } from 'node:path';
import type { FileSystem, OpenFile } from '../../disk/file-system.ts';
import { DamageError } from '../../damage-error.ts';
import { systemCodeOf } from '../../errors.ts';
import type { FeedLine } from '../feed-line.ts';
import { type LogLine, type LogPosition, parseLine } from './line.ts';
import type { LineBytes, SegmentEnd, SegmentInfo } from './segment.ts';

/** A segment of an open store. Owns its open file, and counts its writes that are not compacted. */
export class Segment {
  readonly name: string;
  readonly path: string;
  readonly after: LogPosition;
  readonly #files: FileSystem;
  /** The records with writes that are only here, and how many. */
  readonly records = new Map<string, number>();
  /** Its writes with journal lines. */
  readonly feed: FeedLine[] = [];
  /** Absent while it is written to. */
  end: SegmentEnd | undefined;
  #file: OpenFile | undefined;

  constructor(folder: string, files: FileSystem, { name, after, end }: SegmentInfo) {
    this.name = name;
    this.path = join(folder, name);
    this.#files = files;
    this.after = after;
    this.end = end;
  }

  get info(): SegmentInfo {
    const { name, after, end } = this;
    return { name, after, ...(end === undefined ? {} : { end }) };
  }

  /** Creates the file. */
  async create(): Promise<OpenFile> {
    this.#file = await this.#files.open(this.path, 'new');
    return this.#file;
  }

  /**
   * Reads a line.
   *
   * @throws `DamageError`
   */
  async read({ offset, length }: LineBytes): Promise<LogLine> {
    const file = await this.#open();
    const line = parseLine(await file.read(offset, length));
    if (line !== undefined) return line;
    throw new DamageError(
      'One of its writes in the log differs from what was written: the checksum does not match.',
    );
  }

  /** The text of a line; undefined when it cannot be read. */
  async readText(place: LineBytes): Promise<string | undefined> {
    try {
      await this.read(place);
      return (await (await this.#open()).read(place.offset, place.length)).toString();
    } catch (error) {
      if (error instanceof DamageError) return undefined;
      throw error;
    }
  }

  /** Opens the file, so that it can be read after its removal. */
  async hold(): Promise<void> {
    await this.#open();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #open(): Promise<OpenFile> {
    try {
      this.#file ??= await this.#files.open(this.path, 'read');
      return this.#file;
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      throw new DamageError(`The file ${this.name} of the log is missing.`, { cause: error });
    }
  }
}
