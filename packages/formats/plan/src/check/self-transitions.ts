import { selfTransition } from '../diagnostics/transitions.ts';
import type { PlanRule } from './rule.ts';
import { loopsWithoutEnd } from './missing-ends.ts';

/** Reports transitions of a state to itself: they are legal but rarely meant. */
export const selfTransitions: PlanRule = ({ definition, options, report }) => {
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const { id, transitions } of definition.states) {
    if (endless.includes(id)) continue; // `missingEnds` reports it.
    for (const { target_state_id, at } of transitions) {
      if (id !== '' && target_state_id === id)
        report(selfTransition(id), [...at, 'target_state_id']);
    }
  }
};
