import { isRecord, type Json } from '@dramaturg/compiler';
import { engines } from '#engines';
import { isExpression } from '../../definition/field.ts';
import { evaluateApart } from './apart.ts';
import type { JsonataScope } from './evaluating.ts';
import { drawnSeed, withSeed } from './seeded-world.ts';

/**
 * Compiles a JSONata expression, which AWS calls a query. Evaluation has limits on work, depth and size, because the
 * expression is untrusted.
 *
 * @param expression with its `{%` and `%}`
 * @param field for messages, such as `Output/total`
 * @throws StatesError States.QueryEvaluationError when it fails, or its result is undefined or a function
 * @throws EnginesNotLoadedError
 */
export function compileExpression(expression: string, field: string): Query {
  const source = sourceOf(expression);
  const what = `The JSONata expression '${source}' specified for the field '${field}'`;
  // The library takes milliseconds to compile an expression: a step compiles only those that it evaluates.
  let compiled: Query | undefined;
  let watched: Query | undefined;
  const here = () => (compiled ??= engines().compileSource(source, what, false));
  const evaluate: Query = (given, onOperand) => {
    const seed = drawnSeed(source, given.world);
    const scope = seed === undefined ? given : withSeed(given, seed);
    return onOperand
      ? (watched ??= engines().compileSource(source, what, true))(scope, onOperand)
      : evaluateApart(source, what, scope, seed, here());
  };
  const readPlain = compilePlainPath(source);
  if (!readPlain) return evaluate;
  return (scope, onOperand) => readPlain(scope) ?? evaluate(scope, onOperand);
}

/** @param onOperand receives the truth value of each operand of `and`, `or` and `$not` at the top */
export type Query = (
  scope: JsonataScope,
  onOperand?: (index: number, holds: boolean) => void,
) => Json;

/** Why the text between `{%` and `%}` is not JSONata, as a clause; undefined when it is. */
export function expressionFault(expression: string): string | undefined {
  const source = sourceOf(expression);
  if (source === '') return 'it is empty';
  const { jsonata } = engines();
  try {
    jsonata(source);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) return 'it is nested too deeply';
    const { message } = Object(thrown) as { message?: unknown };
    return typeof message === 'string'
      ? message.charAt(0).toLowerCase() + message.slice(1)
      : 'it is not JSONata';
  }
}

/** The texts of the operands of `and`, `or` and `$not` in an expression with `{%` and `%}`, in order. */
export function operandTexts(expression: string): readonly string[] {
  const source = sourceOf(expression);
  return /and|or|not/.test(source) ? engines().operandTexts(source) : [];
}

/** The text between `{%` and `%}`. */
export function sourceOf(expression: string): string {
  return expression.slice(2, -2).trim();
}

const plainPath = /^\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$/;
const reserved = /^(?:and|or|in)$/;

/**
 * Fast path: reads paths such as `$states.input.order.id` without the library, which takes thirty times as long.
 * Undefined where the library may give another result: at lists, which it maps over, and at missing values.
 */
function compilePlainPath(source: string): ((scope: JsonataScope) => Json | undefined) | undefined {
  const [, root, rest = ''] = plainPath.exec(source) ?? [];
  if (root === undefined) return undefined;
  const names = rest.split('.').slice(1);
  if (names.some((name) => reserved.test(name))) return undefined;
  return ({ states, variables }) => {
    let value: Json | undefined =
      root === 'states' ? states : Object.hasOwn(variables, root) ? variables[root] : undefined;
    for (const name of names) {
      if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
      value = value[name] as Json;
    }
    return Array.isArray(value) || (root === 'states' && names.length === 0) ? undefined : value;
  };
}

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
