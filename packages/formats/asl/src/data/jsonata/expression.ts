import { engines } from '#engines';
import { DramaturgError, type Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { evaluateSyntax } from './evaluate.ts';
import { worded } from './library.ts';
import { watchOperands } from './operands.ts';
import { plainJson } from './plain-json.ts';
import { compilePlainPath } from './plain-path.ts';
import type { JsonataScope } from './scope.ts';
import { sourceOf } from './source.ts';
import type { SyntaxNode } from './syntax.ts';
import { CodedError } from './values.ts';
import { Work } from '../work.ts';

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
  let root: SyntaxNode;
  try {
    const compiled = engines().jsonata(source);
    if (isWatched) watchOperands(compiled, source);
    root = compiled.ast() as unknown as SyntaxNode;
  } catch (thrown) {
    return () => {
      throw failed(what, thrown);
    };
  }
  return (scope, onOperand) => {
    const { work = new Work() } = scope;
    let [result, value]: [unknown, Json?] = [undefined];
    try {
      // As in AWS there is no context, only variables.
      result = evaluateSyntax(root, { ...scope, work, ...(onOperand && { onOperand }) });
      value = plainJson(result, work);
    } catch (thrown) {
      throw failed(what, thrown);
    }
    if (result === undefined) throw query(`${what} returned nothing (undefined).`);
    if (value === undefined) throw query(`${what} returned an unsupported result type.`);
    return value;
  };
}

function failed(what: string, thrown: unknown): StatesError {
  return query(`${what} threw an error during evaluation. ${messageOf(thrown)}`);
}

function query(message: string): StatesError {
  return new StatesError('States.QueryEvaluationError', message);
}

/** The parser throws plain objects with a code. Deeply nested text overflows its stack. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'It is nested too deeply, or builds too much.';
  if (thrown instanceof CodedError) return worded(thrown);
  if (thrown instanceof DramaturgError) return thrown.message;
  const { code, message } = Object(thrown) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string') throw thrown;
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
