import { isCall } from '../../data/intrinsic/parse.ts';
import { expressionFault, sourceOf } from '../../data/jsonata/expression.ts';
import { type Node, parsed, variable } from '../../data/jsonata/references.ts';
import { isFault, parsePath } from '../../data/path/parse.ts';
import type { Condition } from '../../definition/index.ts';
import { dialects } from '../../dialect.ts';
import { followPath } from './follow-path.ts';
import { followSimple, jsonataValues, simplePathOf } from './jsonata-values.ts';
import { conditional, type Sight } from './sight.ts';
import { queryValues } from './template-values.ts';
import { isUnfilled, sourceAt, type ValueSet } from './value-set.ts';

/** Whether a condition holds in every run; undefined when that depends on the data. */
type Verdict = boolean | undefined;

/** Judges a condition, and reads its paths. Parts after a deciding part are not read: `IsPresent` protects them. */
export function judgeCondition(condition: Condition, data: ValueSet, sight: Sight): Verdict {
  if ('conditions' in condition) {
    const deciding = condition.operator === 'Or';
    return judgeParts(condition.conditions, deciding, (part, isFirst) =>
      judgeCondition(part, data, isFirst ? sight : conditional(sight)),
    );
  }
  if ('condition' in condition) return negated(judgeCondition(condition.condition, data, sight));
  if ('expression' in condition) return judgeExpression(condition, sight);
  return judgeComparison(condition, data, sight);
}

/** @param deciding the verdict of a part that makes later parts irrelevant */
function judgeParts<Part>(
  parts: readonly Part[],
  deciding: boolean,
  judge: (part: Part, isFirst: boolean) => Verdict,
): Verdict {
  let isKnown = true;
  for (const part of parts) {
    const verdict = judge(part, part === parts[0]);
    if (verdict === deciding) return deciding;
    if (verdict === undefined) isKnown = false;
  }
  return isKnown ? !deciding : undefined;
}

function negated(verdict: Verdict): Verdict {
  return verdict === undefined ? undefined : !verdict;
}

type Comparison = Extract<Condition, { readonly Variable: string }>;

function judgeComparison(
  { operator, Variable: path, operand, at }: Comparison,
  data: ValueSet,
  sight: Sight,
): Verdict {
  if (operator === 'IsPresent') {
    return mayBePresent(path, data, sight) ? undefined : operand === false;
  }
  // In Agent State Language a comparison without a value is false.
  const seen = dialects[sight.dialect].missingVariable === 'fails' ? sight : conditional(sight);
  queryValues(path, data, seen, [...at, isCall(path) ? 'Variable.$' : 'Variable']);
  if (operator.endsWith('Path') && typeof operand === 'string') {
    queryValues(operand, data, seen, [...at, operator]);
  }
  return undefined;
}

function mayBePresent(text: string, data: ValueSet, sight: Sight): boolean {
  const path = parsePath(text);
  if (isUnfilled(text) || isCall(text) || isFault(path)) return true;
  return 'values' in followPath(path, sight, data);
}

type ExpressionCondition = Extract<Condition, { readonly operator: 'Condition' }>;

function judgeExpression({ expression, at }: ExpressionCondition, sight: Sight): Verdict {
  if (typeof expression === 'boolean') return expression;
  const place = [...at, 'Condition'];
  jsonataValues(expression, sight, sourceAt(sight.state, 'Condition', place));
  const source = sourceOf(expression);
  if (!source.includes('$exists') || isUnfilled(source)) return undefined;
  if (expressionFault(expression) !== undefined) return undefined;
  return judgeNode(parsed(source) as Node, sight);
}

function judgeNode(node: Node, sight: Sight): Verdict {
  const { type, value, lhs, rhs, procedure, arguments: given, expressions } = node;
  if (type === 'binary' && (value === 'and' || value === 'or')) {
    return judgeParts([lhs, rhs] as Node[], value === 'or', (part) => judgeNode(part, sight));
  }
  const [only, ...others] = (type === 'block' ? expressions : (given ?? [])) as readonly Node[];
  if (!only || others.length > 0) return undefined;
  if (type === 'block') return judgeNode(only, sight);
  if (type !== 'function') return undefined;
  if (variable(procedure) === 'not') return negated(judgeNode(only, sight));
  if (variable(procedure) !== 'exists') return undefined;
  const path = simplePathOf(only);
  return path && 'missing' in followSimple(path, { sight, more: {} }) ? false : undefined;
}
