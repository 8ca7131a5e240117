import { eachCondition, inWords } from '../conditions/condition.ts';
import type { Condition } from '../conditions/table.ts';
import { contradictoryCondition } from '../diagnostics/transitions.ts';
import { excludes } from './implication.ts';
import type { PlanRule } from './rule.ts';
import { typedTransitions } from './shadowed-transitions.ts';

/** Of more conditions in one list, only so many are compared with each other. */
const comparedMax = 100;

/** Reports transitions with an `all_of` that never holds: two of its conditions exclude each other. Spec: docs/formats/plan.md#conditions */
export const contradictoryConditions: PlanRule = ({ definition, report }) => {
  for (const { transitions } of typedTransitions(definition))
    for (const { condition, at } of transitions) {
      const pair = eachCondition(condition).map(exclusivePairIn).find(Boolean);
      if (!pair) continue;
      const [one, other] = pair.map((each) => inWords(each));
      report(contradictoryCondition(one!, other!), at, {
        follows: pair.flatMap(({ paths }) => (paths ? Object.values(paths) : [])),
      });
    }
};

function exclusivePairIn(condition: Condition): readonly [Condition, Condition] | undefined {
  if (condition.type !== 'all_of') return undefined;
  const conditions = condition.conditions.slice(0, comparedMax);
  for (const [index, one] of conditions.entries())
    for (const other of conditions.slice(index + 1)) if (excludes(one, other)) return [one, other];
  return undefined;
}
