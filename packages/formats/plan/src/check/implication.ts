import type { Json } from '@dramaturg/compiler';
import { type Condition, conditionParams, keyOf, toNumber } from '../condition.ts';

/** What can be told of two conditions from their form alone; their expected values are of the declared type. */

/** Whether the second condition holds whenever the first does. */
export function implies(first: Condition, second: Condition): boolean {
  if (alwaysHolds(second) || sameCondition(first, second)) return true;
  if (first.type === 'any_of') return first.conditions.every((child) => implies(child, second));
  if (second.type === 'all_of') return second.conditions.every((child) => implies(first, child));
  if (second.type === 'any_of' && second.conditions.some((child) => implies(first, child)))
    return true;
  if (first.type === 'all_of') return first.conditions.some((child) => implies(child, second));
  const key = keyOf(first);
  if (key === undefined || key !== keyOf(second)) return false;
  if (second.type === 'deliverable_exists') return true;
  const values = valuesOf(first);
  const allowed = valuesOf(second);
  if (values)
    return values.every((value) => (allowed ? allowed.includes(value) : mayBe(value, second)));
  const range = rangeOf(first);
  const wider = rangeOf(second);
  return range !== undefined && wider !== undefined && isWithin(range, wider);
}

/** Whether two conditions can never hold together. */
export function excludes(first: Condition, second: Condition): boolean {
  if (first.type === 'all_of') return first.conditions.some((child) => excludes(child, second));
  if (first.type === 'any_of') return first.conditions.every((child) => excludes(child, second));
  if ('conditions' in second) return excludes(second, first);
  const key = keyOf(first);
  if (key === undefined || key !== keyOf(second)) return false;
  const values = valuesOf(first);
  if (values) return !values.some((value) => mayBe(value, second));
  const others = valuesOf(second);
  if (others) return !others.some((value) => mayBe(value, first));
  const range = rangeOf(first);
  const other = rangeOf(second);
  return range !== undefined && other !== undefined && areApart(range, other);
}

export function alwaysHolds(condition: Condition): boolean {
  return condition.type === 'turn_count_exceeded' && condition.turns === 0;
}

export function sameCondition(first: Condition, second: Condition): boolean {
  const textOf = (condition: Condition) => JSON.stringify(conditionParams(condition));
  return first.type === second.type && textOf(first) === textOf(second);
}

/** The values a condition waits for, if it is one on values. */
function valuesOf(condition: Condition): readonly Json[] | undefined {
  if (condition.type === 'deliverable_value') return [condition.expected_value];
  return condition.type === 'deliverable_value_in' ? condition.values : undefined;
}

/** Whether a condition of the same key may hold for a value. */
function mayBe(value: Json, condition: Condition): boolean {
  const values = valuesOf(condition);
  if (values) return values.includes(value);
  if (condition.type !== 'deliverable_value_numeric') return true;
  const number = typeof value === 'boolean' ? Number(value) : toNumber(value);
  if (number === undefined) return false;
  if (condition.operator === 'neq') return number !== condition.value;
  const range = rangeOf(condition)!;
  return isWithin({ from: number, to: number, withFrom: true, withTo: true }, range);
}

/** The numbers a condition admits. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly withFrom: boolean;
  readonly withTo: boolean;
}

/** Undefined for what is no single range. */
function rangeOf(condition: Condition): Range | undefined {
  if (condition.type !== 'deliverable_value_numeric') return undefined;
  if (condition.operator === 'between') {
    const { min, max, inclusive } = condition;
    return { from: min, to: max, withFrom: inclusive, withTo: inclusive };
  }
  const { operator, value } = condition;
  const all = { from: -Infinity, to: Infinity, withFrom: false, withTo: false };
  switch (operator) {
    case 'gt':
      return { ...all, from: value };
    case 'gte':
      return { ...all, from: value, withFrom: true };
    case 'lt':
      return { ...all, to: value };
    case 'lte':
      return { ...all, to: value, withTo: true };
    case 'eq':
      return { from: value, to: value, withFrom: true, withTo: true };
    case 'neq':
      return undefined;
  }
}

function isWithin(inner: Range, outer: Range): boolean {
  const below =
    inner.from > outer.from || (inner.from === outer.from && (outer.withFrom || !inner.withFrom));
  const above = inner.to < outer.to || (inner.to === outer.to && (outer.withTo || !inner.withTo));
  return below && above;
}

function areApart(one: Range, other: Range): boolean {
  const isBefore = (first: Range, second: Range) =>
    first.to < second.from || (first.to === second.from && !(first.withTo && second.withFrom));
  return isBefore(one, other) || isBefore(other, one);
}
