import { DramaturgError, type Json, type JsonObject, type World } from '@dramaturg/compiler';
import jsonata from 'jsonata';
import { StatesError } from '../states-error.ts';
import { compilePlainPath } from './plain-path.ts';
import { LinearRegex } from './linear-regex.ts';
import { Watch } from './watch.ts';
import { amazonFunctions } from './functions.ts';
import { plainJson } from './plain-json.ts';

/** What an expression sees. */
export interface JsonataScope {
  /** `$states` */
  readonly states: JsonObject;
  /** `$name`: what `Assign` has set. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly world: World;
}

/**
 * The value of a JSONata expression, which AWS calls a query. It is worked out at once, within limits on time, depth and
 * size: the expression is somebody else's text.
 *
 * @param expression with its `{%` and `%}`
 * @param field for messages, such as `Output/total`
 * @throws StatesError States.QueryEvaluationError when it fails, or gives nothing or a function
 */
export function compileExpression(
  expression: string,
  field: string,
): (scope: JsonataScope) => Json {
  const source = sourceOf(expression);
  const what = `The JSONata expression '${source}' specified for the field '${field}'`;
  const evaluate = compileSource(source, what);
  const readPlain = compilePlainPath(source);
  if (!readPlain) return evaluate;
  return (scope) => readPlain(scope) ?? evaluate(scope);
}

function sourceOf(expression: string): string {
  return expression.slice(2, -2).trim();
}

function compileSource(source: string, what: string): (scope: JsonataScope) => Json {
  let current: JsonataScope | undefined;
  let compiled: jsonata.Expression;
  try {
    compiled = jsonata(source);
  } catch (thrown) {
    return () => {
      throw failed(what, thrown);
    };
  }
  const functions = amazonFunctions(() => current!.world);
  for (const [name, { signature, call }] of Object.entries(functions)) {
    compiled.registerFunction(name, call, signature);
  }
  return (scope) => {
    const outer = current;
    current = scope;
    try {
      return valueOf(compiled, scope, what);
    } finally {
      current = outer;
    }
  };
}

function valueOf(compiled: jsonata.Expression, scope: JsonataScope, what: string): Json {
  const watch = new Watch();
  let value: unknown;
  try {
    // Another user of the library may have set its own.
    (jsonata as unknown as { RegexEngine: unknown }).RegexEngine = LinearRegex;
    value = compiled.evaluate({}, { ...bindable(scope), ...watch.hooks, eval: undefined });
  } catch (thrown) {
    throw failed(what, thrown);
  }
  if (value === undefined) throw query(`${what} returned nothing (undefined).`);
  const json = plainJson(value);
  if (json === undefined) throw query(`${what} returned an unsupported result type.`);
  return json;
}

/** The library would take a variable of this name for the prototype of all others. */
function bindable({ states, variables }: JsonataScope): Record<string, Json> {
  const { __proto__: _, ...rest } = variables as Record<string, Json>;
  return { ...rest, states };
}

function failed(what: string, thrown: unknown): StatesError {
  return query(`${what} threw an error during evaluation. ${messageOf(thrown)}`);
}

function query(message: string): StatesError {
  return new StatesError('States.QueryEvaluationError', message);
}

/** The library throws plain objects with a code; a text that nests without end exhausts its parser's stack. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'It is nested too deeply, or builds too much.';
  if (thrown instanceof DramaturgError) return thrown.message;
  const { code, message } = Object(thrown) as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string').join(': ');
}

/** Why what stands between `{%` and `%}` is no JSONata, in words that a place can follow; or undefined. */
export function expressionFault(expression: string): string | undefined {
  const source = sourceOf(expression);
  if (source === '') return 'it is empty';
  try {
    jsonata(source);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) return 'it is nested too deeply';
    const { message } = Object(thrown) as { message?: unknown };
    return typeof message === 'string'
      ? message.charAt(0).toLowerCase() + message.slice(1)
      : 'it is no JSONata';
  }
}
