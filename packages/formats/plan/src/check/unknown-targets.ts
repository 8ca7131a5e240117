import { end } from '../definition.ts';
import { missingTarget, unknownTarget } from '../diagnostics/transitions.ts';
import { unknownFrom } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';

/** Reports transitions without a target or to an unknown state. Spec: docs/formats/plan.md#transitions */
export const unknownTargets: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const exists = new Set([...known, end]);
  for (const { target_state_id: target, at } of definition.states.flatMap(
    ({ transitions }) => transitions,
  )) {
    if (target === '') report(missingTarget(), at, { about: [[...at, 'target_state_id']] });
    else if (!exists.has(target))
      report(unknownTarget(target, [...known, end]), [...at, 'target_state_id'], {
        ...unknownFrom(definition, target),
        topic: target,
      });
  }
};
