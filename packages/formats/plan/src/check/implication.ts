import type { Json } from '@dramaturg/compiler';
import { conditionParams, keyOf } from '../conditions/condition.ts';
import type { NumberRange } from '../conditions/kind.ts';
import { type Condition, kindOf } from '../conditions/table.ts';

/** Compares two conditions by their form alone. Their expected values have the declared type. */

/** Whether the second condition holds whenever the first does. */
export function implies(first: Condition, second: Condition): boolean {
  if (alwaysHolds(second) || isSameCondition(first, second)) return true;
  if (first.type === 'any_of') return first.conditions.every((inner) => implies(inner, second));
  if (second.type === 'all_of') return second.conditions.every((inner) => implies(first, inner));
  if (second.type === 'any_of' && second.conditions.some((inner) => implies(first, inner)))
    return true;
  if (first.type === 'all_of') return first.conditions.some((inner) => implies(inner, second));
  const key = keyOf(first);
  if (key === undefined || key !== keyOf(second)) return false;
  if (kindOf(second).admitsAnyValue) return true;
  const values = valuesOf(first);
  if (values) return values.every((value) => admits(second, value) === true);
  const range = kindOf(first).range?.(first);
  const wider = kindOf(second).range?.(second);
  return range !== undefined && wider !== undefined && isWithinRange(range, wider);
}

/** Whether two conditions can never hold together. */
export function excludes(first: Condition, second: Condition): boolean {
  if (first.type === 'all_of') return first.conditions.some((inner) => excludes(inner, second));
  if (first.type === 'any_of') return first.conditions.every((inner) => excludes(inner, second));
  if ('conditions' in second) return excludes(second, first);
  const key = keyOf(first);
  if (key === undefined || key !== keyOf(second)) return false;
  const values = valuesOf(first);
  if (values) return values.every((value) => admits(second, value) === false);
  const others = valuesOf(second);
  if (others) return others.every((value) => admits(first, value) === false);
  const range = kindOf(first).range?.(first);
  const other = kindOf(second).range?.(second);
  return range !== undefined && other !== undefined && areDisjoint(range, other);
}

export function alwaysHolds(condition: Condition): boolean {
  return kindOf(condition).alwaysHolds?.(condition) ?? false;
}

export function isSameCondition(first: Condition, second: Condition): boolean {
  const toText = (condition: Condition) => JSON.stringify(conditionParams(condition));
  return first.type === second.type && toText(first) === toText(second);
}

/** The values that a condition expects, if it expects any. */
export function valuesOf(condition: Condition): readonly Json[] | undefined {
  return kindOf(condition).values?.(condition);
}

/** Whether a condition holds for a value of its deliverable; undefined when its form does not tell. */
function admits(condition: Condition, value: Json): boolean | undefined {
  return kindOf(condition).admits?.(condition, value);
}

function isWithinRange(inner: NumberRange, outer: NumberRange): boolean {
  const below =
    inner.from > outer.from || (inner.from === outer.from && (outer.withFrom || !inner.withFrom));
  const above = inner.to < outer.to || (inner.to === outer.to && (outer.withTo || !inner.withTo));
  return below && above;
}

export function areDisjoint(one: NumberRange, other: NumberRange): boolean {
  const isBefore = (first: NumberRange, second: NumberRange) =>
    first.to < second.from || (first.to === second.from && !(first.withTo && second.withFrom));
  return isBefore(one, other) || isBefore(other, one);
}
