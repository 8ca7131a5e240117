import type { Condition } from '../conditions/table.ts';
import { human, type State } from '../definition.ts';
import { taskNeverAsked } from '../diagnostics/states.ts';
import { implies } from './implication.ts';
import type { PlanRule } from './rule.ts';
import { typedTransitions } from './shadowed-transitions.ts';

/**
 * Reports tasks of strict states that are never asked for: an earlier task must collect a value first, and a transition leaves
 * the state as soon as the value is known. Spec: docs/formats/plan.md#conditions
 */
export const tasksNeverAsked: PlanRule = ({ definition, report }) => {
  for (const { state, transitions } of typedTransitions(definition)) {
    if (state.type !== 'strict') continue;
    const leaving = transitions.filter(
      ({ target_state_id: target }) => ![state.id, human].includes(target),
    );
    // A transition that stays in the state may be taken first.
    if (leaving.length < transitions.length) continue;
    for (const { key, next } of keysBeforeTasks(state)) {
      const known = { type: 'deliverable_exists', deliverable_key: key } as Condition;
      const transition = leaving.find(({ condition }) => implies(known, condition));
      if (!transition) continue;
      report(taskNeverAsked(next.id, key), next.at, {
        related: [{ path: transition.at, message: 'This transition leads on before.' }],
        follows: [transition.at],
      });
      break;
    }
  }
};

/** The keys that a task must collect before the next task is asked for, in order. */
function keysBeforeTasks({ tasks }: State) {
  return tasks.flatMap(({ required, deliverables }, index) => {
    const next = tasks[index + 1];
    if (!required || !next?.deliverables.every(({ source }) => source !== 'agent')) return [];
    return deliverables.flatMap(({ key, required: isNeeded }) => (isNeeded ? [{ key, next }] : []));
  });
}
