import { eachCondition, inWords, keyOf } from '../conditions/condition.ts';
import type { Condition } from '../conditions/table.ts';
import { contradictoryCondition } from '../diagnostics/transitions.ts';
import { excludes } from './implication.ts';
import { allDeliverables } from '../declarations.ts';
import type { PlanRule } from './rule.ts';
import { typedTransitions } from './shadowed-transitions.ts';

/** The most conditions of one list that are compared with each other. */
const comparedMax = 100;

/** Reports transitions with an `all_of` that never holds: two of its conditions exclude each other. Spec: docs/formats/plan.md#conditions */
export const contradictoryConditions: PlanRule = ({ definition, report }) => {
  const lists = new Set(
    allDeliverables(definition).flatMap(({ key, type }) => (type === 'list' ? [key] : [])),
  );
  const seen = new Set<object>();
  /** A list can contain both of two values. */
  const isList = (condition: Condition) => lists.has(keyOf(condition) ?? '');
  for (const { transitions } of typedTransitions(definition))
    for (const { condition, at } of transitions) {
      if (seen.has(at)) continue;
      seen.add(at);
      const pair = eachCondition(condition)
        .map((each) => exclusivePairIn(each, isList))
        .find(Boolean);
      if (!pair) continue;
      const [one, other] = pair.map((each) => inWords(each));
      report(contradictoryCondition(one!, other!), at, {
        follows: pair.flatMap(({ paths }) => (paths ? Object.values(paths) : [])),
      });
    }
};

function exclusivePairIn(
  condition: Condition,
  isList: (condition: Condition) => boolean,
): readonly [Condition, Condition] | undefined {
  if (condition.type !== 'all_of') return undefined;
  const conditions = condition.conditions.slice(0, comparedMax);
  for (const [index, one] of conditions.entries())
    for (const other of conditions.slice(index + 1))
      if (!isList(one) && excludes(one, other)) return [one, other];
  return undefined;
}
