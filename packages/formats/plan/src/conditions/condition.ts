import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import type { ChartOperand } from '@dramaturg/compiler/chart';
import type { World } from '@dramaturg/compiler/machine';
import type { Deliverable } from '../definition.ts';
import { coerce, comparedType } from '../value.ts';
import type { ConversationFacts, InnerCondition, NumberRange } from './kind.ts';
import { type Condition, kindOf } from './table.ts';

/** A condition and every condition within it. */
export function eachCondition(condition: Condition): Condition[] {
  return 'conditions' in condition
    ? [condition, ...condition.conditions.flatMap(eachCondition)]
    : [condition];
}

/** The deliverable that a condition reads itself, not through nested conditions. */
export function keyOf(condition: Condition): string | undefined {
  return 'deliverable_key' in condition ? condition.deliverable_key : undefined;
}

/** A condition as parameters of a guard: without paths. */
export function conditionParams(condition: Condition): JsonObject {
  const { type: _, paths: __, ...params } = condition;
  if (!('conditions' in condition)) return params as JsonObject;
  return {
    conditions: condition.conditions.map((inner) => ({
      type: inner.type,
      ...conditionParams(inner),
    })),
  };
}

/** A condition as people say it: `issue_type = billing`. */
export function inWords(condition: Condition): string {
  return kindOf(condition).inWords(condition, (inner) => inWords(conditionIn(inner)));
}

/** Whether a condition holds. Spec: docs/formats/plan.md#conditions */
export function holds(
  condition: Condition,
  conversation: ConversationFacts,
  onOperand?: World['onOperand'],
  at: Path = [configField],
): boolean {
  return kindOf(condition).holds(condition, conversation, (inner, index) => {
    const operand = conditionIn(inner);
    const innerAt = [...at, 'conditions', index];
    const isTrue = holds(operand, conversation, onOperand, innerAt);
    if (!('conditions' in operand)) onOperand?.(innerAt, isTrue);
    return isTrue;
  });
}

/** The innermost conditions, with the places by which `holds` reports them. */
export function operandsIn(condition: Condition, at: Path): readonly ChartOperand[] {
  const visit = (each: Condition, place: Path): readonly ChartOperand[] =>
    'conditions' in each
      ? each.conditions.flatMap((inner, index) => visit(inner, [...place, 'conditions', index]))
      : [{ origin: place, description: inWords(each) }];
  return visit(condition, [...at, configField]);
}

const configField = 'condition_config';

/** Nested conditions were read by the same table. */
function conditionIn(inner: InnerCondition): Condition {
  return inner as Condition;
}

/**
 * A condition with its expected values in the type that each deliverable declares, where they fit. A list means any of its
 * values.
 */
export function withDeclaredValues(
  condition: Condition,
  declarationOf: (key: string) => Deliverable | undefined,
): Condition {
  if ('conditions' in condition) {
    const conditions = condition.conditions.map((one) => withDeclaredValues(one, declarationOf));
    return { ...condition, conditions };
  }
  const { withTypedValues } = kindOf(condition);
  if (!withTypedValues) return condition;
  const { paths } = condition;
  const declaration = declarationOf(keyOf(condition) ?? '');
  const terms = withTypedValues(condition, (value) => {
    const coerced = declaration && coerce(value, comparedType(declaration));
    return coerced?.fits ? coerced.value : value;
  }) as unknown as Condition;
  return paths ? { ...terms, paths } : terms;
}

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
