import type { Scheduler } from '../../disk/system.ts';
import { type LogLine, type LogPosition, parseLine, readableId, summaryLine } from './line.ts';

/** A file of the log, as the manifest describes it. */
export interface SegmentInfo {
  /** The file name: `<epoch>-<n>.jsonl`. */
  readonly name: string;
  /** The position that its first line continues. */
  readonly after: LogPosition;
  /** Present when nothing more is written to it. */
  readonly end?: SegmentEnd;
}

/** The valid part of a complete segment. Bytes behind it are reserved space, or an incomplete write. */
export interface SegmentEnd {
  readonly bytes: number;
  /** The position of the last write in it. */
  readonly position: LogPosition;
}

/** The place of a line in a segment. */
export interface LineBytes {
  readonly offset: number;
  readonly length: number;
}

/** Writes that cannot be read. */
export interface LostWrites {
  /** The number of the first one. */
  readonly first: number;
  readonly count: number;
  /** The ids of their records that are known. */
  readonly ids: readonly string[];
  /** The number of writes whose record is unknown. */
  readonly unknown: number;
}

/** The content of a segment. */
export interface ReadSegment {
  /** Without snapshots, parts and letters. */
  readonly lines: readonly (LogLine & LineBytes)[];
  readonly lost: readonly LostWrites[];
  readonly end: SegmentEnd;
}

/**
 * Reads the bytes of a segment.
 *
 * A line is written once, into space that was never written before and reads as zeros or is missing. Therefore a line
 * that a power cut has torn contains a zero or has no line break. Nothing from the first torn line on was flushed, unless a
 * later line says so. All other differences are damage.
 */
export async function readSegment(
  bytes: Buffer,
  { after, end }: SegmentInfo,
  scheduler: Scheduler,
): Promise<ReadSegment> {
  const reading = new Reading(after);
  const limit = end?.bytes ?? bytes.length;
  let sliceEnd = sliceBytes;
  for (let offset = 0; offset < limit;) {
    const found = bytes.indexOf(newline, offset);
    const isComplete = found !== -1 && found < limit;
    const line = bytes.subarray(offset, isComplete ? found : limit);
    reading.add(line, offset, isComplete);
    offset = isComplete ? found + 1 : limit;
    if (offset > sliceEnd) {
      sliceEnd = offset + sliceBytes;
      await scheduler.yield();
    }
  }
  return end === undefined ? reading.open() : reading.complete(end);
}

/** Parsing this many bytes takes a few milliseconds. */
const sliceBytes = 1 << 18;
const newline = 10;

interface Gap extends LostWrites {
  /** The number of lines before it. */
  readonly lines: number;
  readonly end: SegmentEnd;
  /** Whether a power cut can leave it. */
  readonly canBeTorn: boolean;
}

/** A segment that is being read. Owns its valid lines, and the bytes since the last one that are no line. */
class Reading {
  readonly #lines: (LogLine & LineBytes)[] = [];
  readonly #gaps: Gap[] = [];
  #end: SegmentEnd;
  /** Complete and incomplete lines since the last valid one. */
  #bad: Buffer[] = [];
  #isTorn = false;
  /** The number of bytes that were read. */
  #bytes = 0;

  constructor(after: LogPosition) {
    this.#end = { bytes: 0, position: after };
  }

  add(bytes: Buffer, offset: number, isComplete: boolean): void {
    this.#bytes = offset + bytes.length + 1;
    const line = isComplete ? parseLine(bytes) : undefined;
    const { number, sum } = this.#end.position;
    if (line === undefined || line.position.number <= number) {
      this.#bad.push(bytes);
      this.#isTorn ||= !isComplete || bytes.includes(0);
      return;
    }
    if (line.position.number !== number + 1 || line.previous.sum !== sum)
      this.#addGap(line.position.number - 1, line.previous.id);
    this.#bad = [];
    this.#isTorn = false;
    this.#lines.push({ ...summaryLine(line), offset, length: bytes.length });
    this.#end = { bytes: this.#bytes, position: line.position };
  }

  /** The content of a segment that is complete: every difference is damage. */
  complete(end: SegmentEnd): ReadSegment {
    const { number, sum } = this.#end.position;
    if (number !== end.position.number || sum !== end.position.sum)
      this.#addGap(end.position.number, end.position.id);
    return { lines: this.#lines, lost: this.#gaps, end };
  }

  /** The content of a segment that was being written when the process or the power failed. */
  open(): ReadSegment {
    const flushed = this.#lines.reduce((most, line) => Math.max(most, line.flushed), 0);
    const torn = this.#gaps.findIndex((gap) => gap.canBeTorn && gap.first > flushed);
    if (torn !== -1) {
      const { lines, end } = this.#gaps[torn]!;
      return { lines: this.#lines.slice(0, lines), lost: this.#gaps.slice(0, torn), end };
    }
    if (this.#isTorn || this.#bad.length === 0)
      return { lines: this.#lines, lost: this.#gaps, end: this.#end };
    const { number, sum } = this.#end.position;
    const last = number + this.#bad.length;
    const id = readableId(this.#bad.at(-1)!);
    this.#addGap(last, id);
    const position = { number: last, sum, id: id ?? '' };
    return { lines: this.#lines, lost: this.#gaps, end: { bytes: this.#bytes, position } };
  }

  /**
   * @param last the number of the last missing write
   * @param lastId its record, if it is known
   */
  #addGap(last: number, lastId: string | undefined): void {
    const first = this.#end.position.number + 1;
    const count = Math.max(last - first + 1, 0);
    const known = this.#bad
      .slice(0, Math.max(count - 1, 0))
      .flatMap((line) => readableId(line) ?? []);
    if (lastId !== undefined) known.push(lastId);
    this.#gaps.push({
      first,
      count,
      ids: [...new Set(known)],
      unknown: Math.max(count - known.length, 0),
      lines: this.#lines.length,
      end: this.#end,
      canBeTorn: this.#isTorn,
    });
  }
}
