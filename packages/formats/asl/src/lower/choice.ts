import type { Json, Path } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartOperand,
  type ChartTransition,
  operandsMeta,
} from '@dramaturg/compiler/chart';
import type { choiceBehaviour } from '../behaviour/choice.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { operandTexts } from '../data/jsonata/index.ts';
import type { Choice, ChoiceRule, Condition } from '../definition/index.ts';
import {
  stateParams,
  failureExitOf,
  type NodeContext,
  withFailureExit,
  targetOf,
} from './node-context.ts';
import { references } from './references.ts';
import { stateMeta } from './state-meta.ts';

const relations: Readonly<Record<string, string>> = {
  Equals: '=',
  LessThan: '<',
  GreaterThan: '>',
  LessThanEquals: '<=',
  GreaterThanEquals: '>=',
  Matches: 'matches',
};

/** A condition as drawings show it: `$.total > 100 and not ($.trusted = true)`. */
function describeCondition(condition: Condition | undefined): string {
  if (!condition) return '';
  if ('conditions' in condition) {
    const word = condition.operator === 'And' ? ' and ' : ' or ';
    return condition.conditions.map(inner).join(word);
  }
  if ('condition' in condition) return `not ${inner(condition.condition)}`;
  if ('expression' in condition) {
    const { expression } = condition;
    return typeof expression === 'string' ? expression.slice(2, -2).trim() : String(expression);
  }
  return describeComparison(condition.operator, condition.Variable, condition.operand);
}

/** The comparisons of a condition; of a JSONata expression, the operands of its `and`, `or` and `$not`. */
function operandsIn(condition: Condition | undefined): readonly ChartOperand[] {
  if (!condition) return [];
  if ('conditions' in condition) return condition.conditions.flatMap(operandsIn);
  if ('condition' in condition) return operandsIn(condition.condition);
  const { at } = condition;
  if (!('expression' in condition))
    return [{ origin: at, description: describeCondition(condition) }];
  const { expression } = condition;
  if (typeof expression !== 'string') return [];
  return operandTexts(expression).map((text, index) => ({
    origin: [...at, 'Condition', index],
    description: text,
  }));
}

function inner(condition: Condition): string {
  const text = describeCondition(condition);
  return 'conditions' in condition ? `(${text})` : text;
}

function describeComparison(operator: string, variable: string, operand: Json): string {
  if (operator.startsWith('Is')) {
    const kind = operator.slice(2).toLowerCase();
    return `${variable} is ${operand === false ? 'not ' : ''}${kind}`;
  }
  const isPath = operator.endsWith('Path');
  const [, relation = ''] =
    /^(?:String|Numeric|Boolean|Timestamp)(.+)$/.exec(isPath ? operator.slice(0, -4) : operator) ??
    [];
  const other = isPath && typeof operand === 'string' ? operand : JSON.stringify(operand);
  return `${variable} ${relations[relation] ?? relation} ${other}`;
}

const refer = references<typeof choiceBehaviour & typeof stateBehaviour>();

export function choiceNode(state: Choice, id: string, context: NodeContext): ChartNode {
  const rules = ruleTransitions(context, state.Choices);
  const { Default: fallback } = state;
  return {
    id,
    entry: [refer.action('choose', stateParams(context, id))],
    always:
      fallback === undefined
        ? [...rules, failureExitOf(context)]
        : withFailureExit(context, [...rules, defaultTransition(context, fallback, state)]),
    meta: stateMeta(state, context),
  };
}

/** The transitions of the rules of a Choice or an Approval, once the state has evaluated them. */
export function ruleTransitions(
  context: NodeContext,
  rules: readonly ChoiceRule[],
): ChartTransition[] {
  return rules.map(({ condition, Next: next, at }, way) => ({
    target: targetOf(context, next),
    guard: refer.guard('isChosenWay', { machine: context.machine, way }),
    ...(condition && { description: describeCondition(condition) }),
    meta: { origin: at, ...operandsMeta(operandsIn(condition)) },
  }));
}

/** The transition of a state when none of its rules applies. */
export function defaultTransition(
  context: NodeContext,
  name: string,
  { at }: { readonly at: Path },
): ChartTransition {
  return {
    target: targetOf(context, name),
    description: 'otherwise',
    meta: { origin: [...at, 'Default'] },
  };
}
