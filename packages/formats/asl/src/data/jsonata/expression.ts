import { engines } from '#engines';
import { DramaturgError, type Json } from '@dramaturg/compiler';
import type jsonata from 'jsonata';
import { StatesError } from '../states-error.ts';
import { compilePlainPath } from './plain-path.ts';
import { countedFunctions } from './counted-functions.ts';
import { countedRegex } from './counted-regex.ts';
import { operandFunction, watchOperands } from './operands.ts';
import type { JsonataScope } from './scope.ts';
import { sourceOf } from './source.ts';
import { Watch } from './watch.ts';
import { amazonFunctions } from './functions.ts';
import { plainJson } from './plain-json.ts';

/**
 * Compiles a JSONata expression, which AWS calls a query. Evaluation has limits on work, depth and size, because the
 * expression is untrusted.
 *
 * @param expression with its `{%` and `%}`
 * @param field for messages, such as `Output/total`
 * @throws StatesError States.QueryEvaluationError when it fails, or its result is undefined or a function
 */
export function compileExpression(expression: string, field: string): Query {
  const source = sourceOf(expression);
  const what = `The JSONata expression '${source}' specified for the field '${field}'`;
  // The library takes milliseconds to compile an expression: a step compiles only those that it evaluates.
  let compiled: Query | undefined;
  let watched: Query | undefined;
  const evaluate: Query = (scope, onOperand) =>
    onOperand
      ? (watched ??= compileSource(source, what, true))(scope, onOperand)
      : (compiled ??= compileSource(source, what))(scope);
  const readPlain = compilePlainPath(source);
  if (!readPlain) return evaluate;
  return (scope, onOperand) => readPlain(scope) ?? evaluate(scope, onOperand);
}

/** @param onOperand receives the truth value of each operand of `and`, `or` and `$not` at the top */
type Query = (scope: JsonataScope, onOperand?: (index: number, holds: boolean) => void) => Json;

function compileSource(source: string, what: string, isWatched = false): Query {
  const { jsonata } = engines();
  let current: Evaluation | undefined;
  let compiled: jsonata.Expression;
  try {
    compiled = jsonata(source);
  } catch (thrown) {
    return () => {
      throw failed(what, thrown);
    };
  }
  const own = amazonFunctions(() => current!.scope.world);
  const functions = countedFunctions(own, () => current!.watch);
  for (const [name, { signature, call }] of Object.entries(functions)) {
    compiled.registerFunction(name, call, signature);
  }
  if (isWatched) {
    watchOperands(compiled, source);
    compiled.registerFunction(operandFunction, (index: number, holds: boolean | undefined) => {
      current!.onOperand?.(index, holds === true);
      return holds;
    });
  }
  return (scope, onOperand) => {
    const outer = current;
    current = { scope, watch: new Watch(), ...(onOperand && { onOperand }) };
    try {
      return valueOf(compiled, current, what);
    } finally {
      current = outer;
    }
  };
}

interface Evaluation {
  readonly scope: JsonataScope;
  readonly watch: Watch;
  readonly onOperand?: (index: number, holds: boolean) => void;
}

function valueOf(compiled: jsonata.Expression, { scope, watch }: Evaluation, what: string): Json {
  let value: unknown;
  try {
    // Another user of the library may have set another engine.
    (engines().jsonata as unknown as { RegexEngine: unknown }).RegexEngine = countedRegex(watch);
    // As in AWS there is no context, only variables.
    value = compiled.evaluate(undefined, { ...bindable(scope), ...watch.hooks, eval: undefined });
  } catch (thrown) {
    throw failed(what, thrown);
  }
  if (value === undefined) throw query(`${what} returned nothing (undefined).`);
  const json = plainJson(value);
  if (json === undefined) throw query(`${what} returned an unsupported result type.`);
  return json;
}

/** The library would use a variable named `__proto__` as the prototype of all others. */
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

/** The library throws plain objects with a code. Deeply nested text overflows the stack of its parser. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'It is nested too deeply, or builds too much.';
  if (thrown instanceof DramaturgError) return thrown.message;
  const { code, message } = Object(thrown) as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string').join(': ');
}

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
