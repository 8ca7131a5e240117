import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Dialect } from '../definition/machine.ts';
import type { Evaluate, Evaluation } from './evaluation.ts';
import { failed } from './intrinsic/function.ts';
import { functionsOf } from './intrinsic/functions.ts';
import { type Argument, type Call, isCall, parseCall, unescaped } from './intrinsic/parse.ts';
import { isFault } from './path/parse.ts';
import { compilePath, compileRead, type Found } from './path/read.ts';

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

/**
 * Compiles a call such as `States.Format('{} of {}', $.index, $.count)`.
 *
 * @throws StatesError States.IntrinsicFailure when the function fails; also the errors of its arguments
 */
export function compileIntrinsic(text: string, dialect: Dialect): Evaluate {
  const call = parseCall(text);
  if (isFault(call)) return failing(`'${text}' is not a call of a function: ${call.fault}.`);
  return compileCall(call, dialect);
}

function compileCall({ name, args }: Call, dialect: Dialect): Evaluate {
  const functions = functionsOf(dialect);
  const called = Object.hasOwn(functions, name) ? functions[name]! : undefined;
  if (!called) return failing(`There is no function ${name}.`);
  if (args.length < called.least || args.length > called.most) {
    return failing(`${name} was given ${args.length} argument${args.length === 1 ? '' : 's'}.`);
  }
  const values = args.map((argument, index) =>
    compileArgument(argument, dialect, name === 'States.Format' && index === 0),
  );
  if (name === 'States.Coalesce') {
    // The function skips missing values like null.
    const reads = args.map((argument, index) =>
      argument.kind === 'path' ? orNull(compileRead(argument.path.text)) : values[index]!,
    );
    return (evaluation) =>
      called.call(
        reads.map((read) => read(evaluation)),
        evaluation,
      );
  }
  return (evaluation) => {
    const given = values.map((value) => value(evaluation));
    if (evaluation.work?.take(unitsOf(given)) === false)
      throw failed(`${name}: the functions of the state do too much work.`);
    return called.call(given, evaluation);
  };
}

/** The units of a call, and of the least that it reads of its arguments. */
function unitsOf(given: readonly Json[]): number {
  return given.reduce<number>((units, value) => {
    if (typeof value === 'string') return units + value.length / 32;
    if (typeof value !== 'object' || value === null) return units;
    return units + (Array.isArray(value) ? value.length : Object.keys(value).length);
  }, 10);
}

function orNull(read: (evaluation: Evaluation) => Found): Evaluate {
  return (evaluation) => {
    const found = read(evaluation);
    return found.found ? found.value : null;
  };
}

function compileArgument(argument: Argument, dialect: Dialect, isTemplate: boolean): Evaluate {
  switch (argument.kind) {
    case 'call':
      return compileCall(argument.call, dialect);
    case 'path':
      return compilePath(argument.path.text);
    case 'text': {
      const text = isTemplate ? argument.written : unescaped(argument.written);
      return () => text;
    }
    default:
      return () => argument.value;
  }
}

function failing(because: string): Evaluate {
  return () => {
    throw failed(because);
  };
}
