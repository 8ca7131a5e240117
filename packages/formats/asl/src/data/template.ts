import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Dialect } from '../definition/index.ts';
import type { Evaluate, Evaluation } from './evaluation.ts';
import { compileIntrinsic } from './intrinsic/compile.ts';
import { isCall } from './intrinsic/parse.ts';
import { compilePath } from './path/read.ts';

/**
 * Compiles a payload template. A field `name.$` becomes the field `name` with the value of its path or intrinsic
 * function; all other parts are literal. Spec: Agent 3 §Templates, states-language.net/spec.html#payload-template
 *
 * @param field the field with the template, for messages
 */
export function compileTemplate(template: Json, dialect: Dialect, field?: string): Evaluate {
  return compilePart(template, dialect, field, 0) ?? (() => template);
}

/** Compiles a path or a call of an intrinsic function. */
export function compileQuery(text: string, dialect: Dialect, field?: string): Evaluate {
  return isCall(text) ? compileIntrinsic(text, dialect) : compilePath(text, field);
}

/** Compiles a query at its first evaluation: the state may reach its work limit before. */
function compiledOnce(compile: () => Evaluate): Evaluate {
  let compiled: Evaluate | undefined;
  return (evaluation) => {
    compiled ??= compile();
    return compiled(evaluation);
  };
}

/** Deeper than any real template, but far from a stack overflow. */
const deepest = 500;

/** Undefined for a literal part: it is shared and not copied. */
function compilePart(
  part: Json,
  dialect: Dialect,
  field: string | undefined,
  depth: number,
): Evaluate | undefined {
  if (typeof part !== 'object' || part === null || depth > deepest) return undefined;
  if (Array.isArray(part)) {
    const items = part.map((item) => compilePart(item, dialect, field, depth + 1));
    if (items.every((item) => item === undefined)) return undefined;
    return (evaluation) =>
      items.map((item, index) => (item ? item(evaluation) : (part[index] as Json)));
  }
  return compileObject(part as JsonObject, dialect, field, depth);
}

function compileObject(
  object: JsonObject,
  dialect: Dialect,
  field: string | undefined,
  depth: number,
): Evaluate | undefined {
  const names: string[] = [];
  const values: ((evaluation: Evaluation) => Json)[] = [];
  let isFilled = false;
  for (const [name, value] of Object.entries(object)) {
    const isQuery = name.endsWith('.$') && typeof value === 'string';
    const fill = isQuery
      ? compiledOnce(() => compileQuery(value, dialect, name))
      : compilePart(value, dialect, field, depth + 1);
    if (fill) isFilled = true;
    names.push(isQuery ? name.slice(0, -2) : name);
    values.push(fill ?? (() => value));
  }
  if (!isFilled) return undefined;
  // Assigning to `__proto__` sets the prototype, so that name needs `fromEntries`.
  if (names.includes('__proto__')) {
    return (evaluation) =>
      Object.fromEntries(names.map((name, index) => [name, values[index]!(evaluation)]));
  }
  return (evaluation) => {
    const filled: Record<string, Json> = {};
    for (let index = 0; index < names.length; index += 1) {
      filled[names[index]!] = values[index]!(evaluation);
    }
    return filled;
  };
}
