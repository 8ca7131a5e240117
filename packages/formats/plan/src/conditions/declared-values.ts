import { withTypedValues } from './condition.ts';
import type { Condition } from './table.ts';
import type { Deliverable } from '../definition.ts';
import { coerce, comparedType } from '../value.ts';

/** A condition with its expected values in the type that each deliverable declares, where they fit. */
export function withDeclaredValues(
  condition: Condition,
  declarationOf: (key: string) => Deliverable | undefined,
): Condition {
  return withTypedValues(condition, (key, value) => {
    const declaration = declarationOf(key);
    if (!declaration) return value;
    const coerced = coerce(value, comparedType(declaration));
    return coerced.fits ? coerced.value : value;
  });
}
