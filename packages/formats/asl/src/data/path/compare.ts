import type { Json } from '@dramaturg/compiler';
import type { Comparison } from './path.ts';
import type { PathWork } from './work.ts';

const relations: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/**
 * Compares two values of a filter, as version 2.0 of the library by Jayway does: no operator holds for values that have no
 * order, `!=` included.
 */
export function compare(operator: Comparison, left: Json, right: Json, work: PathWork): boolean {
  const isEquality = operator === '==' || operator === '!=';
  if (!isEquality && (left === null) !== (right === null)) return false;
  const order = orderOf(left, right, work);
  return order !== undefined && relations[operator](order);
}

/** Where the left value stands relative to the right one. A right text is compared as the type of the left value. */
function orderOf(left: Json, right: Json, work: PathWork): number | undefined {
  // The engine compares long texts character by character.
  if (typeof left === 'string' && typeof right === 'string')
    work.compare(Math.min(left.length, right.length));
  if (left === right) return 0;
  if (isNothing(left) || isNothing(right))
    return Number(isNothing(right)) - Number(isNothing(left));
  if (typeof right === 'string') {
    if (typeof left === 'string') return textOrder(left, right.replaceAll(String.raw`\'`, "'"));
    if (typeof left === 'number') return numeral.test(right) ? left - Number(right) : undefined;
    if (typeof left === 'boolean') return Number(left) - Number(right.toLowerCase() === 'true');
  }
  const isSimple = typeof left === 'number' || typeof left === 'boolean';
  return isSimple && typeof left === typeof right ? Number(left) - Number(right) : undefined;
}

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `null` in a filter is a text, like all literals. */
function isNothing(value: Json): boolean {
  return value === null || value === 'null';
}

function textOrder(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
