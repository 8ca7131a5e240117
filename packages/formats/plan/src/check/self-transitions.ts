import { selfTransition } from '../diagnostics/transitions.ts';
import type { PlanRule } from './rule.ts';
import { loopsWithoutEnd } from './missing-ends.ts';

/** A transition of a state to itself is legal, and rarely meant. */
export const selfTransitions: PlanRule = ({ definition, options, report }) => {
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const { id, transitions } of definition.states) {
    if (endless.includes(id)) continue; // It is reported that nothing else leads on.
    for (const { target_state_id, at } of transitions) {
      if (id !== '' && target_state_id === id)
        report(selfTransition(id), [...at, 'target_state_id']);
    }
  }
};
