import { isRecord, type Json } from '@dramaturg/compiler';
import type { Comparison } from './path.ts';
import type { PathWork } from './work.ts';

/** Compares two values, as the library by Jayway does. Undefined is a path without a value. */
export function compare(
  operator: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  work: PathWork,
): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, work);
    case '!=':
      return !isEqual(left, right, work);
    case '===':
      return typeof left === typeof right && isEqual(left, right, work);
    case '!==':
      return typeof left !== typeof right || !isEqual(left, right, work);
    case 'in':
      return Array.isArray(right) && isIn(right, left, work);
    case 'nin':
      return Array.isArray(right) && !isIn(right, left, work);
    case 'contains':
      return typeof left === 'string'
        ? typeof right === 'string' && includes(left, right, work)
        : Array.isArray(left) && isIn(left, right, work);
    case 'subsetof':
    case 'anyof':
    case 'noneof':
    case 'all':
      return (
        Array.isArray(left) && Array.isArray(right) && compareSets(operator, left, right, work)
      );
    case 'size':
      return sizeOf(left) !== undefined && sizeOf(left) === right;
    case 'empty':
      return sizeOf(left) !== undefined && (sizeOf(left) === 0) === right;
    default:
      return isOrdered(operator, left, right, work);
  }
}

function compareSets(
  operator: 'subsetof' | 'anyof' | 'noneof' | 'all',
  left: readonly Json[],
  right: readonly Json[],
  work: PathWork,
): boolean {
  if (operator === 'subsetof') return left.every((one) => isIn(right, one, work));
  if (operator === 'all') return right.every((one) => isIn(left, one, work));
  return left.some((one) => isIn(right, one, work)) === (operator === 'anyof');
}

function isIn(list: readonly Json[], value: Json | undefined, work: PathWork): boolean {
  return list.some((one) => isEqual(value, one, work));
}

function includes(text: string, part: string, work: PathWork): boolean {
  work.compare(text.length);
  return text.includes(part);
}

function sizeOf(value: Json | undefined): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}

/** A number equals its text. Objects are equal when their fields have the same order too. */
function isEqual(left: Json | undefined, right: Json | undefined, work: PathWork): boolean {
  work.compare(
    typeof left === 'string' && typeof right === 'string' && left.length === right.length
      ? left.length
      : 0,
  );
  if (left === right) return true;
  if (typeof left === 'number' && typeof right === 'string') return isTextOf(right, left);
  if (typeof left === 'string' && typeof right === 'number') return isTextOf(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isEqual(item, right[at], work));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  work.visit(1 + (names.length + others.length) / 4);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isEqual(left[name], right[name], work))
  );
}

function isTextOf(text: string, number: number): boolean {
  return text.trim() !== '' && Number(text) === number;
}

function isOrdered(
  operator: '<' | '<=' | '>' | '>=',
  left: Json | undefined,
  right: Json | undefined,
  work: PathWork,
): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) {
    return false;
  }
  const other = right as typeof left;
  if (typeof left === 'string') work.compare(Math.min(left.length, String(other).length));
  if (operator === '<') return left < other;
  if (operator === '<=') return left <= other;
  return operator === '>' ? left > other : left >= other;
}
