import { DramaturgError, type Json, type JsonObject } from '@dramaturg/compiler';
import jsonata from 'jsonata';
import { StatesError } from '../states-error.ts';
import { Work } from '../work.ts';
import { Frame, type JsonataScope } from './evaluating.ts';
import { Evaluator } from './evaluator.ts';
import type { Query } from './expression.ts';
import { functionNamed } from './functions.ts';
import { worded } from './library.ts';
import { operandFunction, watchOperands } from './operands.ts';
import type { SyntaxNode } from './syntax.ts';
import { asSequence, type Callable, CodedError, partsOf, setField } from './values.ts';

/**
 * Copies a result as JSON, without the library's marks and without shared parts. Undefined when the result contains a
 * value that JSON lacks, such as a function.
 */
function plainJson(value: unknown, work: Work): Json | undefined {
  if (typeof value === 'string') work.characters(value.length);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  // AWS shows the numbers that JSON lacks as strings: `1/0` is "Infinity".
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return undefined;
  work.enter();
  const [isList, names] = [Array.isArray(value), Object.keys(value)];
  const copy: Json[] | JsonObject = isList ? [] : {};
  for (const [at, part] of partsOf(value).entries()) {
    // An undefined field is left out.
    if (part === undefined && !isList) continue;
    const plain = plainJson(part, work);
    if (plain === undefined) return undefined;
    if (isList) (copy as Json[]).push(plain);
    else setField(copy, names[at]!, plain);
  }
  work.leave();
  return copy;
}

interface Evaluation extends JsonataScope {
  readonly work: Work;
  readonly onOperand?: (index: number, holds: boolean) => void;
}

/** Evaluates an expression. @param input the context: AWS has none */
function evaluateSyntax(
  root: SyntaxNode,
  { states, variables, world, work, onOperand }: Evaluation,
  input?: unknown,
): unknown {
  const evaluator = new Evaluator(work, world);
  work.surface();
  const functions = new Map<string, Callable | undefined>();
  const observe = ([index, holds]: readonly unknown[]): unknown => {
    onOperand?.(index as number, holds === true);
    return holds;
  };
  const frame = new Frame(undefined, (name) => {
    if (name === '$') return input;
    if (name === 'states') return states;
    if (Object.hasOwn(variables, name)) return variables[name];
    if (!functions.has(name))
      functions.set(
        name,
        name === operandFunction
          ? Object.assign(observe, { arity: 2 })
          : functionNamed(name, evaluator),
      );
    return functions.get(name);
  });
  const context = Array.isArray(input)
    ? Object.assign(asSequence([input]), { outerWrapper: true })
    : input;
  return evaluator.evaluate(root, context, frame);
}

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
