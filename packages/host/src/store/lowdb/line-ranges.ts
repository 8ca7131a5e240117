import { crc32 } from 'node:zlib';
import { DamageError } from '../damage-error.ts';

/** A part of a file of lines. */
export interface LineRange {
  readonly lines: number;
  readonly bytes: number;
  /** The checksum of its bytes; absent when a person has changed the file. */
  readonly sum?: number;
}

/** The valid part of a file of lines. Bytes behind it are an incomplete write, left by a crash, and are ignored. */
export type LineRanges = readonly LineRange[];

export function linesIn(ranges: LineRanges): number {
  return ranges.reduce((sum, { lines }) => sum + lines, 0);
}

export function bytesIn(ranges: LineRanges): number {
  return ranges.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A range of this many bytes is complete. Reading a line reads its range. */
const rangeBytesMax = 1 << 16;

/** Adds lines behind the last range. A long text becomes several ranges. */
export function appended(ranges: LineRanges, lines: readonly string[]): LineRanges {
  const all = [...ranges];
  for (const line of lines) {
    const bytes = Buffer.from(`${line}\n`);
    const last = all.at(-1);
    if (last?.sum === undefined || last.bytes >= rangeBytesMax)
      all.push({ lines: 1, bytes: bytes.length, sum: crc32(bytes) });
    else
      all[all.length - 1] = {
        lines: last.lines + 1,
        bytes: last.bytes + bytes.length,
        sum: crc32(bytes, last.sum),
      };
  }
  return all;
}

/** The texts of ranges in a file: lines, bytes and checksum, such as `12 345 0a1b2c3d`. */
export function formatRanges(ranges: LineRanges): string[] {
  return ranges.map(({ lines, bytes, sum }) =>
    sum === undefined ? `${lines} ${bytes}` : `${lines} ${bytes} ${hexadecimal(sum)}`,
  );
}

/** @throws `DamageError` */
export function parseRanges(texts: unknown): LineRanges {
  if (!Array.isArray(texts)) throw new DamageError('Its list of line ranges is not a list.');
  return texts.map((text) => {
    const found = /^(\d{1,15}) (\d{1,15})(?: ([0-9a-f]{8}))?$/.exec(String(text));
    if (found === null) throw new DamageError(`${JSON.stringify(text)} is not a range of lines.`);
    const [, lines, bytes, sum] = found;
    const range = { lines: Number(lines), bytes: Number(bytes) };
    return sum === undefined ? range : { ...range, sum: Number.parseInt(sum, 16) };
  });
}

function hexadecimal(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
