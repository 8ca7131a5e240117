import { compileCondition } from '../data/choice/index.ts';
import { compileExpression } from '../data/jsonata/index.ts';
import { StatesError } from '../data/states-error.ts';
import type { Choice, Condition, Dialect } from '../definition/index.ts';
import { scope } from './jsonata-flow.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Json } from '@dramaturg/compiler';
import type { Run } from './run.ts';

/**
 * The first rule that holds; undefined takes the `Default`. Spec: Agent 2 §Choice State, Amazon #choice-state
 *
 * @throws StatesError States.NoChoiceMatched when no rule holds and there is no `Default`
 */
type Choose = (run: Run, selected: Json) => number | undefined;

/** The slice of the program that a Choice owns. */
export interface ChoiceProgram {
  readonly choose: Choose;
}

export function compileChoice(state: Choice, dialect: Dialect): ChoiceProgram {
  return { choose: compileRules(state, dialect) };
}

function compileRules(state: Choice, dialect: Dialect): Choose {
  const conditions = state.Choices.map(({ condition }) => compileRule(condition, dialect));
  return (run, selected) => {
    const rule = conditions.findIndex((holds) => holds(run, selected));
    if (rule >= 0) return rule;
    if (state.Default !== undefined) return undefined;
    throw new StatesError(
      'States.NoChoiceMatched',
      'No rule of the Choice holds, and it has no "Default".',
    );
  };
}

/** Only `testState` reads states of definitions that have errors. */
function failWithoutCondition(): never {
  throw new StatesError('States.Runtime', 'A rule of the Choice has no condition.');
}

function compileRule(
  condition: Condition | undefined,
  dialect: Dialect,
): (run: Run, selected: Json) => boolean {
  if (!condition) return () => failWithoutCondition();
  if (condition.operator !== 'Condition') {
    const holds = compileCondition(condition, dialect);
    return (run, selected) => holds(evaluation(run, selected));
  }
  const { expression, at } = condition as Extract<Condition, { readonly expression: unknown }>;
  if (typeof expression === 'boolean') return () => expression;
  const evaluate = compileExpression(expression, 'Condition');
  return (run) => {
    const { onOperand } = run.world;
    const value = evaluate(
      scope(run),
      onOperand && ((index, holds) => onOperand([...at, 'Condition', index], holds)),
    );
    if (typeof value === 'boolean') return value;
    throw new StatesError(
      'States.QueryEvaluationError',
      `The JSONata expression '${expression.slice(2, -2).trim()}' specified for the field 'Condition' must give true or false.`,
    );
  };
}
