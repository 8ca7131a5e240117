import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { LineExtent } from './line-extent.ts';

const newline = 10;
const chunkSize = 1 << 16;

/** @throws `DamageError` when a file of lines is shorter than it has been */
export function checkExtent(path: string, { bytes }: LineExtent): void {
  if (bytes === 0) return;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < bytes)
    throw new DamageError(`Its ${basename(path)} has ${size} bytes and has had ${bytes}.`);
}

/**
 * Lines of a file, by number. It looks for the first one from the nearer end, so that the newest lines cost the same
 * however long the file is.
 *
 * @param count the most lines to return
 * @throws `DamageError` when the file has fewer lines than it has had
 */
export function readLines(path: string, extent: LineExtent, from: number, count: number): string[] {
  const wanted = Math.min(count, extent.lines - from);
  if (wanted <= 0) return [];
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size < extent.bytes)
      throw new DamageError(`Its ${basename(path)} is shorter than it was.`);
    const start =
      from <= extent.lines / 2
        ? startFromTop(file, extent, from)
        : startFromEnd(file, extent, extent.lines - from);
    return linesAt(file, extent, start, wanted, path);
  } finally {
    closeSync(file);
  }
}

/** The place behind so many lines. */
function startFromTop(file: number, { bytes }: LineExtent, lines: number): number {
  let left = lines;
  for (let place = 0; left > 0 && place < bytes;) {
    const chunk = read(file, place, Math.min(chunkSize, bytes - place));
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, end + 1)) {
      left -= 1;
      if (left === 0) return place + end + 1;
    }
    place += chunk.length;
  }
  return 0;
}

/** The place from which there are so many lines to the end. */
function startFromEnd(file: number, { bytes }: LineExtent, lines: number): number {
  let left = lines + 1;
  for (let end = bytes; end > 0;) {
    const place = Math.max(0, end - chunkSize);
    const chunk = read(file, place, end - place);
    for (let at = chunk.lastIndexOf(newline); at !== -1;) {
      left -= 1;
      if (left === 0) return place + at + 1;
      at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1);
    }
    end = place;
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
  for (let place = start; found < count;) {
    if (place >= bytes)
      throw new DamageError(`Its ${basename(path)} has fewer lines than it has had.`);
    const chunk = read(file, place, Math.min(chunkSize, bytes - place));
    let used = 0;
    for (let end = chunk.indexOf(newline); end !== -1 && found < count;) {
      found += 1;
      used = end + 1;
      end = chunk.indexOf(newline, used);
    }
    parts.push(found < count ? chunk : chunk.subarray(0, used));
    place += chunk.length;
  }
  return Buffer.concat(parts).toString().split('\n', count);
}

function read(file: number, place: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(file, buffer, filled, length - filled, place + filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}
