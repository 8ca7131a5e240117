import { isRecord, type Json } from '@dramaturg/compiler';
import type { Timer } from './contract.ts';
import { badRequest, quoted } from './errors.ts';
import type { FeedRequest } from './feed.ts';
import type { LineRange, PageRequest } from './selections.ts';

/** Longer than any id of a channel or path of a chart; limited because an index holds 100,000 names. */
const nameLengthMax = 1_024;
const pageSizeMax = 10_000;

/**
 * Checks a name: any non-empty string without half of a surrogate pair, which UTF-8 cannot encode.
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

/** Checks a time in milliseconds since 1970 UTC. */
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

/** Converts a value to JSON text immediately, so that a later change of the value does not affect the write. */
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

export function checkedRange(range: LineRange): LineRange {
  if (!isRecord(range)) throw badRequest('Lines are read in a range: { from, limit }.');
  const { from, limit } = range;
  if (!Number.isSafeInteger(from) || from < 0) {
    throw badRequest(`The first line is not a whole number from 0: ${String(from)}.`);
  }
  return { from, limit: checkedLimit(limit) };
}

export function checkedBefore(before: unknown): number {
  if (typeof before === 'number' && !Number.isNaN(before)) return before;
  throw badRequest(`The time is not a number of milliseconds: ${String(before)}.`);
}

/** @throws `store/bad-request` */
export function checkedFeed({ after, limit, contact }: FeedRequest): FeedRequest {
  if (!Number.isSafeInteger(after) || after < 0)
    throw badRequest(`The position in the feed is not a whole number from 0: ${String(after)}.`);
  return {
    after,
    limit: checkedLimit(limit),
    ...(contact === undefined ? {} : { contact: checkedName(contact, 'contact') }),
  };
}

/** The position of a record in lists: by time of creation, then by id. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** The string of `Page.next`: the next page begins after this position. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return JSON.stringify([createdAt, id]);
}

export function checkedPage(page: PageRequest): { after?: ListPosition; limit: number } {
  if (!isRecord(page)) throw badRequest('A page is selected by: { after, limit }.');
  const { after, limit } = page;
  checkedLimit(limit);
  if (after === undefined) return { limit };
  try {
    const [createdAt, id] = JSON.parse(after) as unknown[];
    return {
      after: { createdAt: checkedTime(createdAt, 'time'), id: checkedName(id, 'id') },
      limit,
    };
  } catch (cause) {
    throw badRequest(`${quoted(after)} is not a cursor of this list.`, cause);
  }
}
