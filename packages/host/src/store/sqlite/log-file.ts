import type { OpenFile } from '../disk/file-system.ts';

/**
 * The content of a `-wal` file, read without SQLite (https://sqlite.org/fileformat2.html#walformat). SQLite itself would
 * apply any log that lies next to the database, even one that does not belong to it.
 */
export interface LogFile {
  readonly pageSize: number;
  /** The offset of the newest committed version of each page, by page number. */
  readonly pages: ReadonlyMap<number, number>;
  /** The number of frames up to the last commit that can be read. */
  readonly frames: number;
  /** The number of pages of the database after the last commit; undefined without a commit. */
  readonly pageCount: number | undefined;
  /** Whether commits follow a wrong frame that were written after the frame had been flushed. */
  readonly hasLostCommits: boolean;
}

const headerSize = 32;
const frameHeaderSize = 24;
const magicOfBigEndian = 0x377f0683;
const magicOfLittleEndian = 0x377f0682;
const formatVersion = 3_007_000;

/** The number of frames that are read at once. */
const framesPerRead = 64;

/**
 * @param unflushedPage the page that each commit without a flush changes; see `Mark`
 * @returns undefined when the file does not begin with a valid header
 */
export async function readLogFile(
  file: OpenFile,
  unflushedPage: number,
): Promise<LogFile | undefined> {
  const header = await file.read(0, headerSize);
  const sums = sumsOfHeader(header);
  if (sums === undefined) return undefined;
  const frames = new FrameScan(header, sums, unflushedPage);
  const size = await file.size();
  const batchSize = framesPerRead * frames.size;
  for (let offset = headerSize; offset < size; offset += batchSize) {
    const batch = await file.read(offset, batchSize);
    for (let at = 0; at + frames.size <= batch.length; at += frames.size) {
      frames.add(batch.subarray(at, at + frames.size), offset + at);
    }
  }
  return frames.log;
}

/** The running checksum of a log: two numbers of 32 bits. */
class Sums {
  #one: number;
  #two: number;
  readonly #isBigEndian: boolean;

  constructor(isBigEndian: boolean, one = 0, two = 0) {
    this.#isBigEndian = isBigEndian;
    this.#one = one;
    this.#two = two;
  }

  add(bytes: Buffer): void {
    const { buffer, byteOffset, length } = bytes;
    const view = new DataView(buffer, byteOffset, length);
    let one = this.#one;
    let two = this.#two;
    for (let at = 0; at < length; at += 8) {
      one = (one + view.getUint32(at, !this.#isBigEndian) + two) >>> 0;
      two = (two + view.getUint32(at + 4, !this.#isBigEndian) + one) >>> 0;
    }
    this.#one = one;
    this.#two = two;
  }

  /** The sums after a frame. */
  after(frame: Buffer): Sums {
    const sums = new Sums(this.#isBigEndian, this.#one, this.#two);
    sums.add(frame.subarray(0, 8));
    sums.add(frame.subarray(frameHeaderSize));
    return sums;
  }

  /** The sums that are stored in a frame. */
  storedIn(frame: Buffer): Sums {
    return new Sums(this.#isBigEndian, frame.readUInt32BE(16), frame.readUInt32BE(20));
  }

  areAt(bytes: Buffer, offset: number): boolean {
    return bytes.readUInt32BE(offset) === this.#one && bytes.readUInt32BE(offset + 4) === this.#two;
  }
}

function sumsOfHeader(header: Buffer): Sums | undefined {
  if (header.length < headerSize) return undefined;
  const magic = header.readUInt32BE(0);
  const isLog = magic === magicOfBigEndian || magic === magicOfLittleEndian;
  if (!isLog || header.readUInt32BE(4) !== formatVersion) return undefined;
  const sums = new Sums(magic === magicOfBigEndian);
  sums.add(header.subarray(0, 24));
  return sums.areAt(header, 24) ? sums : undefined;
}

/**
 * Reads one frame after another. A frame with other salts is left from an earlier log. After the first wrong or missing frame, it
 * only looks for lost commits.
 */
class FrameScan {
  /** The number of bytes of a frame. */
  readonly size: number;
  readonly #pageSize: number;
  readonly #salts: Buffer;
  /** The possible sums before the next frame. After a wrong frame, either its sums or other bytes may be wrong. */
  #sums: readonly Sums[];
  readonly #unflushedPage: number;
  readonly #pages = new Map<number, number>();
  #uncommitted = new Map<number, number>();
  #pageCount: number | undefined;
  #seen = 0;
  #frames = 0;
  #isBroken = false;
  /** After the break: whether the present commit is complete and waits for a flush. False for the commit with the break. */
  #isFlushed = false;
  #hasFlushedCommit = false;
  #hasLostCommits = false;

  constructor(header: Buffer, sums: Sums, unflushedPage: number) {
    this.#pageSize = header.readUInt32BE(8);
    this.size = frameHeaderSize + this.#pageSize;
    this.#salts = header.subarray(16, 24);
    this.#sums = [sums];
    this.#unflushedPage = unflushedPage;
  }

  get log(): LogFile {
    return {
      pageSize: this.#pageSize,
      pages: this.#pages,
      frames: this.#frames,
      pageCount: this.#pageCount,
      hasLostCommits: this.#hasLostCommits,
    };
  }

  add(frame: Buffer, offset: number): void {
    const isOfThisLog = frame.subarray(8, 16).equals(this.#salts);
    const page = frame.readUInt32BE(0);
    const committedPages = frame.readUInt32BE(4);
    const hasRightSums = this.#hasRightSums(frame);
    const isRight = hasRightSums && isOfThisLog;
    if (!this.#isBroken && isRight) {
      this.#seen += 1;
      this.#uncommitted.set(page, offset + frameHeaderSize);
      if (committedPages > 0) this.#commit(committedPages);
      return;
    }
    this.#hasLostCommits ||= this.#hasFlushedCommit && isOfThisLog;
    if (!isRight || page === this.#unflushedPage) this.#isFlushed = false;
    this.#isBroken = true;
    if (committedPages === 0 || !(isOfThisLog || hasRightSums)) return;
    // A commit that waits for its flush is followed by others only after it and all earlier ones were flushed.
    this.#hasFlushedCommit ||= this.#isFlushed;
    this.#isFlushed = true;
  }

  #hasRightSums(frame: Buffer): boolean {
    const after = this.#sums.map((sums) => sums.after(frame));
    const right = after.find((sums) => sums.areAt(frame, 16));
    this.#sums = right ? [right] : [after[0]!, after[0]!.storedIn(frame)];
    return right !== undefined;
  }

  #commit(pageCount: number): void {
    for (const [page, offset] of this.#uncommitted) this.#pages.set(page, offset);
    this.#uncommitted = new Map();
    this.#frames = this.#seen;
    this.#pageCount = pageCount;
  }
}
