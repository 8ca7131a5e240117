import { Evaluator } from './evaluator.ts';
import { Frame } from './frame.ts';
import { functionNamed } from './functions.ts';
import { operandFunction } from './operands.ts';
import type { JsonataScope } from './scope.ts';
import type { SyntaxNode } from './syntax.ts';
import { asSequence, type Callable } from './values.ts';
import type { Work } from '../work.ts';

interface Evaluation extends JsonataScope {
  readonly work: Work;
  readonly onOperand?: (index: number, holds: boolean) => void;
}

/** Evaluates an expression. @param input the context: AWS has none */
export function evaluateSyntax(
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
