import type { Json } from '@dramaturg/compiler';
import type { LineRange, PageRequest, Timer } from './contract.ts';
import { badRequest, quoted } from './errors.ts';

/** Longer than any id that a channel or a path in a chart makes; an index holds a hundred thousand of them. */
const nameLengthMax = 1_024;
const pageSizeMax = 10_000;

/**
 * A name: any text that can be stored and found again. A half of a surrogate pair cannot: UTF-8 has no bytes for it.
 *
 * @throws `store/bad-request`
 */
export function checkedName(name: unknown, what: string): string {
  if (typeof name !== 'string' || name === '') throw badRequest(`The ${what} is not a text.`);
  if (name.length > nameLengthMax) {
    throw badRequest(`The ${what} ${quoted(name)} is longer than ${nameLengthMax} characters.`);
  }
  if (/\p{Surrogate}/u.test(name)) {
    throw badRequest(`The ${what} ${quoted(name)} has a half of a surrogate pair.`);
  }
  return name;
}

/** Milliseconds since 1970 UTC. */
export function checkedTime(time: unknown, what: string): number {
  if (typeof time === 'number' && Number.isFinite(time)) return time;
  throw badRequest(`The ${what} is not a number of milliseconds: ${String(time)}.`);
}

export function checkedTimers(timers: readonly Timer[]): readonly Timer[] {
  const copies = timers.map(({ key, at }) => ({
    key: checkedName(key, 'key of a timer'),
    at: checkedTime(at, `time of the timer ${quoted(key)}`),
  }));
  checkUnique(
    copies.map(({ key }) => key),
    'timers',
  );
  return copies;
}

export function checkUnique(names: readonly string[], what: string): void {
  if (names.length < 2) return;
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw badRequest(`Two ${what} have the name ${quoted(name)}.`);
    seen.add(name);
  }
}

/** A value as JSON text. It is written out once, so that nobody can change what is being stored. */
export function jsonText(value: Json, what: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw badRequest(`The ${what} is not JSON.`, cause);
  }
  if (text === undefined) throw badRequest(`The ${what} is not JSON: ${typeof value}.`);
  return text;
}

export function checkedLimit(limit: unknown): number {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= pageSizeMax) {
    return limit as number;
  }
  throw badRequest(`The limit is not a whole number from 1 to ${pageSizeMax}: ${String(limit)}.`);
}

export function checkedRange({ from, limit }: LineRange): LineRange {
  if (!Number.isSafeInteger(from) || from < 0) {
    throw badRequest(`The first line is not a whole number from 0: ${String(from)}.`);
  }
  return { from, limit: checkedLimit(limit) };
}

export function checkedBefore(before: unknown): number {
  if (typeof before === 'number' && !Number.isNaN(before)) return before;
  throw badRequest(`The time is not a number of milliseconds: ${String(before)}.`);
}

/** Where a page begins: after the record that was created at a time and has an id. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

export function toCursor({ createdAt, id }: ListPosition): string {
  return JSON.stringify([createdAt, id]);
}

export function checkedPage({ after, limit }: PageRequest): {
  after?: ListPosition;
  limit: number;
} {
  checkedLimit(limit);
  if (after === undefined) return { limit };
  try {
    const [createdAt, id] = JSON.parse(after) as unknown[];
    return {
      after: { createdAt: checkedTime(createdAt, 'time'), id: checkedName(id, 'id') },
      limit,
    };
  } catch (cause) {
    throw badRequest(`${quoted(after)} is not where a page begins.`, cause);
  }
}
