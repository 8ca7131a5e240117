import type { JsonObject, Path } from '@dramaturg/compiler';
import type { ChartOperand } from '@dramaturg/compiler/chart';
import type { World } from '@dramaturg/compiler/machine';
import type { Deliverable } from '../definition.ts';
import { coerce, comparedType } from '../value.ts';
import type { InnerCondition } from './fields.ts';
import type { ConversationFacts } from './kind.ts';
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
