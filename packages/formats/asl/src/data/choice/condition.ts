import type { Json } from '@dramaturg/compiler';
import type { Condition, Dialect } from '../../definition/index.ts';
import { dialects } from '../../dialect.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileIntrinsic } from '../intrinsic/compile.ts';
import { isCall } from '../intrinsic/parse.ts';
import { compileRead, type Found } from '../path/read.ts';
import { StatesError } from '../states-error.ts';
import { parseDuration } from '../timestamp.ts';
import { comparisonOf, matcherOf, momentComparisonOf, typeTests } from './compare.ts';

export type Holds = (evaluation: Evaluation) => boolean;

/**
 * Compiles a condition of a Choice. Spec: Agent 2 §Choice Rules, Amazon #choice-state
 *
 * @throws StatesError States.Runtime in Amazon's dialect, when a path has no value
 */
export function compileCondition(condition: Condition, dialect: Dialect): Holds {
  if ('conditions' in condition) {
    const parts = condition.conditions.map((part) => compileCondition(part, dialect));
    return condition.operator === 'And'
      ? (evaluation) => parts.every((holds) => holds(evaluation))
      : (evaluation) => parts.some((holds) => holds(evaluation));
  }
  if ('condition' in condition) {
    const holds = compileCondition(condition.condition, dialect);
    return (evaluation) => !holds(evaluation);
  }
  if ('expression' in condition) throw new Error('A JSONata condition is not compiled here.');
  const holds = compileComparison(condition, dialect);
  return (evaluation) => {
    const isTrue = holds(evaluation);
    evaluation.world.onOperand?.(condition.at, isTrue);
    return isTrue;
  };
}

type Comparison = Extract<Condition, { readonly Variable: string }>;

function compileComparison(
  { operator, Variable: variable, operand }: Comparison,
  dialect: Dialect,
): Holds {
  const read = compileOperand(variable, dialect);
  if (operator === 'IsPresent') return (evaluation) => read(evaluation).found === operand;
  const value = presentValue(read, variable, dialect);
  const test = typeTests[operator];
  if (test) return withValue(value, (found) => test(found) === operand);
  if (operator === 'StringMatches') return withValue(value, matcherOf(operand as string));
  const isPath = operator.endsWith('Path');
  const fromNow =
    operator.startsWith('Timestamp') && !isPath && dialects[dialect].timesAreRelative
      ? parseDuration(operand as string)
      : undefined;
  if (fromNow !== undefined) {
    const compare = momentComparisonOf(operator);
    return (evaluation) => {
      const found = value(evaluation);
      return found !== undefined && compare(found, evaluation.world.now() + fromNow);
    };
  }
  const compare = comparisonOf(isPath ? operator.slice(0, -'Path'.length) : operator)!;
  if (!isPath) return withValue(value, (found) => compare(found, operand));
  const other = presentValue(readOperand(operand as string, dialect), operand as string, dialect);
  return (evaluation) => {
    const found = value(evaluation);
    const against = other(evaluation);
    return found !== undefined && against !== undefined && compare(found, against);
  };
}

type Value = (evaluation: Evaluation) => Json | undefined;

function withValue(value: Value, fits: (found: Json) => boolean): Holds {
  return (evaluation) => {
    const found = value(evaluation);
    return found !== undefined && fits(found);
  };
}

/** In AWS, `$` leads nowhere when the data are null. */
function readOperand(variable: string, dialect: Dialect): (evaluation: Evaluation) => Found {
  const read = compileRead(variable);
  if (variable.trim() !== '$' || dialects[dialect].nullHasPaths) return read;
  return (evaluation) => (evaluation.data === null ? { found: false } : read(evaluation));
}

function compileOperand(variable: string, dialect: Dialect): (evaluation: Evaluation) => Found {
  if (!isCall(variable)) return readOperand(variable, dialect);
  const call = compileIntrinsic(variable, dialect);
  return (evaluation) => ({ found: true, value: call(evaluation) });
}

/** Undefined when the path has no value and the comparison is then false. */
function presentValue(
  read: (evaluation: Evaluation) => Found,
  path: string,
  dialect: Dialect,
): Value {
  const fails = dialects[dialect].missingVariable === 'fails';
  return (evaluation) => {
    const found = read(evaluation);
    if (found.found) return found.value;
    if (evaluation.missing === 'null') return null;
    if (!fails) return undefined;
    throw new StatesError(
      'States.Runtime',
      `Invalid path '${path}': the choice state's condition path references an invalid value.`,
    );
  };
}
