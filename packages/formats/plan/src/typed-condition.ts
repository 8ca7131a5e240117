import type { Json } from '@dramaturg/compiler';
import type { Condition } from './condition.ts';
import type { Deliverable } from './definition.ts';
import { coerce } from './value.ts';

/** A condition with its expected values as their declared type has them; a list stands for any of its values. */
export function withTypedValues(
  condition: Condition,
  declarationOf: (key: string) => Deliverable | undefined,
): Condition {
  if ('conditions' in condition) {
    const conditions = condition.conditions.map((child) => withTypedValues(child, declarationOf));
    return { ...condition, conditions };
  }
  if (condition.type === 'deliverable_value') {
    const { expected_value: expected, deliverable_key, place } = condition;
    if (Array.isArray(expected)) {
      const any: Condition = {
        type: 'deliverable_value_in',
        deliverable_key,
        values: expected as Json[],
      };
      return withTypedValues(place ? { ...any, place } : any, declarationOf);
    }
    return { ...condition, expected_value: typedValue(expected, declarationOf(deliverable_key)) };
  }
  if (condition.type === 'deliverable_value_in') {
    const declaration = declarationOf(condition.deliverable_key);
    return {
      ...condition,
      values: condition.values.map((value) => typedValue(value, declaration)),
    };
  }
  return condition;
}

function typedValue(value: Json, declaration: Deliverable | undefined): Json {
  if (!declaration) return value;
  const coerced = coerce(value, declaration);
  return coerced.fits ? coerced.value : value;
}
