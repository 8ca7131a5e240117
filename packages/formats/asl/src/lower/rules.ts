import type { ChartTransition, Path } from '@dramaturg/compiler';
import type { ChoiceRule } from '../definition/index.ts';
import { describeCondition } from './condition.ts';
import { type Place, targetOf } from './node-context.ts';

/** Where the rules of a Choice or an Approval lead, once the state has found the way to go. */
export function ruleTransitions(place: Place, rules: readonly ChoiceRule[]): ChartTransition[] {
  return rules.map(({ condition, Next: next, at }, way) => ({
    target: targetOf(place, next),
    guard: { type: 'isChosenWay', params: { machine: place.machine, way } },
    ...(condition && { description: describeCondition(condition) }),
    meta: { origin: at },
  }));
}

/** Where a state leads when none of its rules holds. */
export function defaultTransition(
  place: Place,
  name: string,
  { at }: { readonly at: Path },
): ChartTransition {
  return {
    target: targetOf(place, name),
    description: 'otherwise',
    meta: { origin: [...at, 'Default'] },
  };
}
