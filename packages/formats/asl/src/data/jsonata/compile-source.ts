import { DramaturgError, type Json } from '@dramaturg/compiler';
import jsonata from 'jsonata';
import { StatesError } from '../states-error.ts';
import { evaluateSyntax } from './evaluate.ts';
import { worded } from './library.ts';
import { watchOperands } from './operands.ts';
import { plainJson } from './plain-json.ts';
import type { Query } from './expression.ts';
import type { SyntaxNode } from './syntax.ts';
import { CodedError } from './values.ts';
import { Work } from '../work.ts';

/**
 * Compiles the text of an expression. An expression that cannot be parsed fails when it is evaluated.
 *
 * @param what names the expression in messages
 * @param isWatched whether evaluations report the operands of the expression
 */
export function compileSource(source: string, what: string, isWatched: boolean): Query {
  let root: SyntaxNode;
  try {
    const compiled = jsonata(source);
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
  return query(`${what} threw an error during evaluation. ${messageOf(thrown)}`, { cause: thrown });
}

function query(message: string, options?: ErrorOptions): StatesError {
  return new StatesError('States.QueryEvaluationError', message, options);
}

/** The parser throws plain objects with a code. Deeply nested text overflows its stack. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'It is nested too deeply, or builds too much.';
  if (thrown instanceof CodedError) return worded(thrown);
  if (thrown instanceof DramaturgError) return thrown.message;
  const { code, message } = Object(thrown) as { code?: unknown; message?: unknown };
  if (typeof code === 'string')
    return [code, message].filter((part) => typeof part === 'string').join(': ');
  return `This is a fault of Dramaturg, not of the expression: ${String(thrown)}`;
}
