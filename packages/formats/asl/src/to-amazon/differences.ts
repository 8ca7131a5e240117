import { isRecord, type Path } from '@dramaturg/compiler';
import type { Gap } from './gap.ts';

/** Expressions that mean something else in Amazon's dialect. Spec: dialect.ts */
const expressions = [
  {
    pattern: /States\.ArrayRange\(/,
    message: 'Amazon counts the end of "States.ArrayRange" in, and a workflow of agents does not.',
    hint: 'Write the list, or compute it in a Task.',
  },
  {
    pattern: /^\$.*\[-\d/,
    message: 'Amazon does not count from the end of a list in a path.',
    hint: 'Compute the index with "States.MathAdd" and "States.ArrayLength".',
  },
];

/** What a state says that Amazon reads in another way. Machines inside are states of their own. */
export function* differences(value: unknown, at: Path): Generator<Gap> {
  if (typeof value === 'string') {
    for (const { pattern, message, hint } of expressions)
      if (pattern.test(value)) yield { path: at, message, hint };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* differences(item, [...at, index]);
  } else if (isRecord(value) && !('States' in value)) {
    for (const [key, item] of Object.entries(value)) yield* differences(item, [...at, key]);
  }
}
