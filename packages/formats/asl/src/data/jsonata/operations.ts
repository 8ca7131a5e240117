import { CodedError, isCallable, isNumeric, partsOf } from './values.ts';
import type { Work } from '../work.ts';

/** The truth value that conditions and `$boolean` give a value. */
export function isTrue(value: unknown, work: Work): boolean {
  if (Array.isArray(value)) {
    work.enter();
    work.items(value.length);
    const holds = value.some((item) => isTrue(item, work));
    work.leave();
    return holds;
  }
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0;
  return typeof value === 'number'
    ? isNumeric(value) && value !== 0
    : value === true || isText(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** A value as a string: numbers with all their digits, from 1e21 with an exponent. @throws CodedError D3001 */
export function jsonText(value: unknown, work: Work, indent = 0): string {
  if (typeof value === 'string') return value;
  if (isCallable(value)) return '';
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new CodedError('D3001', { value: String(value) });
  work.deeply(value);
  const shown = (value as { outerWrapper?: boolean } | null)?.outerWrapper
    ? (value as unknown[])[0]
    : value;
  return JSON.stringify(
    shown,
    (_, part: unknown) => {
      if (isCallable(part)) return '';
      if (typeof part === 'number') isNumeric(part);
      return part;
    },
    indent,
  );
}

/** Whether two values are the same, whatever the order of their fields. */
export function sameValue(one: unknown, other: unknown, work: Work): boolean {
  if (typeof one === 'string' && typeof other === 'string' && one.length === other.length)
    work.characters(one.length);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left.length !== right.length) return false;
  work.enter();
  const names = Array.isArray(one) ? [...left.keys()].map(String) : Object.keys(one);
  const isSame = names.every(
    (name) =>
      Object.hasOwn(other, name) &&
      sameValue(
        (one as Record<string, unknown>)[name],
        (other as Record<string, unknown>)[name],
        work,
      ),
  );
  work.leave();
  return isSame;
}

/**
 * Sorts by merging, with the comparisons of the library in its order.
 *
 * @param isAfter whether the first of two items comes after the second
 */
export function sorted<Item>(
  list: readonly Item[],
  isAfter: (one: Item, other: Item) => unknown,
  work: Work,
): Item[] {
  if (list.length <= 1) return [...list];
  const middle = Math.floor(list.length / 2);
  const left = sorted(list.slice(0, middle), isAfter, work);
  const right = sorted(list.slice(middle), isAfter, work);
  work.items(list.length);
  const merged: Item[] = [];
  let [at, next] = [0, 0];
  while (at < left.length && next < right.length)
    merged.push(isAfter(left[at]!, right[next]!) ? right[next++]! : left[at++]!);
  return merged.concat(left.slice(at), right.slice(next));
}
