import { isRecord, type Path } from '@dramaturg/compiler';
import { printPath } from '@dramaturg/compiler/text';

/** The first place where two JSON values differ, with both values; undefined where a value is missing. */
export interface Difference {
  readonly path: Path;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Finds the first difference, in the order of the recorded value's keys. */
export function firstDifference(recorded: unknown, now: unknown): Difference | undefined {
  if (Array.isArray(recorded) && Array.isArray(now))
    return firstDifferenceAmong(
      Array.from({ length: Math.max(recorded.length, now.length) }, (_, index) => index),
      (index) => [recorded[index], now[index]],
    );
  if (isRecord(recorded) && isRecord(now))
    return firstDifferenceAmong(
      [...new Set([...Object.keys(recorded), ...Object.keys(now)])],
      (key) => [own(recorded, key), own(now, key)],
    );
  return recorded === now ? undefined : { path: [], recorded, now };
}

function firstDifferenceAmong<Key extends string | number>(
  keys: readonly Key[],
  at: (key: Key) => [unknown, unknown],
): Difference | undefined {
  for (const key of keys) {
    const found = firstDifference(...at(key));
    if (found) return { ...found, path: [key, ...found.path] };
  }
  return undefined;
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Describes a difference in words. For two long strings it shows the parts that differ. */
export function describeDifference({ path, recorded, now }: Difference): string {
  const where = path.length === 0 ? 'as a whole' : `at ${printPath(path)}`;
  if (typeof recorded !== 'string' || typeof now !== 'string')
    return `${where}: it was recorded with ${shown(recorded)}, and is now ${shown(now)}`;
  const start = Math.max(0, firstDifferentIndex(recorded, now) - shownBefore);
  return `${where}: it was recorded with ${part(recorded, start)}, and is now ${part(now, start)}`;
}

const shownBefore = 20;
const shownInAll = 70;

function firstDifferentIndex(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return length;
}

function part(text: string, start: number): string {
  const end = start + shownInAll;
  const before = start > 0 ? '…' : '';
  return JSON.stringify(`${before}${text.slice(start, end)}${end < text.length ? '…' : ''}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing there';
  const text = JSON.stringify(value);
  return text.length > shownInAll ? `${text.slice(0, shownInAll)}…` : text;
}
