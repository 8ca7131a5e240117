import type { Path } from '@dramaturg/compiler';
import { type ChartNode, type ChartTransition, operandsMeta } from '@dramaturg/compiler/chart';
import type { Choice, ChoiceRule } from '../definition/index.ts';
import { describeCondition, operandsIn } from './condition.ts';
import {
  stateParams,
  failureExitOf,
  type NodeContext,
  withFailureExit,
  targetOf,
} from './node-context.ts';
import { stateMeta } from './state-meta.ts';
import type { choiceBehaviour } from '../behaviour/choice.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

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
