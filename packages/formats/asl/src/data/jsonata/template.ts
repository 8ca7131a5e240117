import { isRecord, type Json } from '@dramaturg/compiler';
import { isExpression } from '../../definition/field.ts';
import { compileExpression } from './expression.ts';
import type { JsonataScope } from './scope.ts';

type Evaluate = (scope: JsonataScope) => Json;

/**
 * Compiles a field of a JSONata state: every string `{% ... %}` in it is evaluated, all other parts are literal. Spec:
 * Amazon #jsonata-strings
 *
 * @param field for messages, such as `Output`
 */
export function compileJsonata(template: Json, field: string): Evaluate {
  return compilePart(template, field, 0) ?? (() => template);
}

/** Deeper than any real template, but far from a stack overflow. */
const deepest = 500;

/** Undefined for a part without expressions: it is shared and not copied. */
function compilePart(part: Json, field: string, depth: number): Evaluate | undefined {
  if (isExpression(part)) return compileExpression(part, field);
  if (depth > deepest) return undefined;
  if (Array.isArray(part)) {
    const items = part.map((item, index) => compilePart(item, `${field}[${index}]`, depth + 1));
    if (items.every((item) => item === undefined)) return undefined;
    return (scope) => items.map((item, index) => (item ? item(scope) : (part[index] as Json)));
  }
  if (!isRecord(part)) return undefined;
  const fields = Object.entries(part).map(([name, value]) => ({
    name,
    value,
    evaluate: compilePart(value, `${field}/${name}`, depth + 1),
  }));
  if (fields.every(({ evaluate }) => evaluate === undefined)) return undefined;
  return (scope) =>
    Object.fromEntries(
      fields.map(({ name, value, evaluate }) => [name, evaluate ? evaluate(scope) : value]),
    );
}
