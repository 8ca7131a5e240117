import { checkOtherTarget, end, human, restart } from '@dramaturg/conversation';
import { fieldOfAnotherTarget, missingTarget, unknownTarget } from '../diagnostics/transitions.ts';
import { unknownFrom } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';

/** Reports transitions without a target or to an unknown state. Spec: docs/formats/plan.md#transitions */
export const unknownTargets: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const exists = new Set([...known, end, human, restart]);
  const shared = definition.transitions ?? [];
  for (const { except_states, at } of shared)
    for (const [index, id] of except_states.entries())
      if (!exists.has(id)) report(unknownTarget(id, known), [...at, 'except_states', index]);
  for (const transition of [
    ...shared,
    ...definition.states.flatMap(({ transitions }) => transitions),
  ]) {
    const { target_state_id: target, at } = transition;
    checkOtherTarget({ fieldOfAnotherTarget }, transition, target, report);
    if (target === '') report(missingTarget(), at, { about: [[...at, 'target_state_id']] });
    else if (!exists.has(target))
      report(unknownTarget(target, [...exists]), [...at, 'target_state_id'], {
        ...unknownFrom(definition, target),
        topic: target,
      });
  }
};
