import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { LineExtent } from './line-extent.ts';

const newline = 10;
const chunkSize = 1 << 16;

/** @throws `DamageError` when a file of lines is shorter than its extent */
export function checkExtent(path: string, { bytes }: LineExtent): void {
  if (bytes === 0) return;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < bytes)
    throw new DamageError(`Its ${basename(path)} has ${size} bytes, and ${bytes} were written.`);
}

/**
 * Reads lines of a file by number. The first one is searched from the nearer end, so the newest lines cost the same
 * however long the file is.
 *
 * @param count the maximum number of lines
 * @throws `DamageError` when the file has fewer lines than its extent
 */
export function readLines(path: string, extent: LineExtent, from: number, count: number): string[] {
  const lineCount = Math.min(count, extent.lines - from);
  if (lineCount <= 0) return [];
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size < extent.bytes)
      throw new DamageError(`Its ${basename(path)} is shorter than what was written.`);
    const start =
      from <= extent.lines / 2
        ? startFromTop(file, extent, from)
        : startFromEnd(file, extent, extent.lines - from);
    return linesAt(file, extent, start, lineCount, path);
  } finally {
    closeSync(file);
  }
}

/** The offset after a number of lines from the beginning. */
function startFromTop(file: number, { bytes }: LineExtent, lines: number): number {
  let remaining = lines;
  for (let offset = 0; remaining > 0 && offset < bytes;) {
    const chunk = read(file, offset, Math.min(chunkSize, bytes - offset));
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, end + 1)) {
      remaining -= 1;
      if (remaining === 0) return offset + end + 1;
    }
    offset += chunk.length;
  }
  return 0;
}

/** The offset from which a number of lines remain to the end. */
function startFromEnd(file: number, { bytes }: LineExtent, lines: number): number {
  let remaining = lines + 1;
  for (let end = bytes; end > 0;) {
    const offset = Math.max(0, end - chunkSize);
    const chunk = read(file, offset, end - offset);
    for (let at = chunk.lastIndexOf(newline); at !== -1;) {
      remaining -= 1;
      if (remaining === 0) return offset + at + 1;
      at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1);
    }
    end = offset;
  }
  return 0;
}

function linesAt(
  file: number,
  { bytes }: LineExtent,
  start: number,
  count: number,
  path: string,
): string[] {
  const parts: Buffer[] = [];
  let found = 0;
  for (let offset = start; found < count;) {
    if (offset >= bytes)
      throw new DamageError(`Its ${basename(path)} has fewer lines than were written.`);
    const chunk = read(file, offset, Math.min(chunkSize, bytes - offset));
    let used = 0;
    for (let end = chunk.indexOf(newline); end !== -1 && found < count;) {
      found += 1;
      used = end + 1;
      end = chunk.indexOf(newline, used);
    }
    parts.push(found < count ? chunk : chunk.subarray(0, used));
    offset += chunk.length;
  }
  return Buffer.concat(parts).toString().split('\n', count);
}

function read(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(file, buffer, filled, length - filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}
