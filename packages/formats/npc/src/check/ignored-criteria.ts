import { followUp } from '../definition.ts';
import { followUpSwitchedOff, unusedCriteria } from '../diagnostics/states.ts';
import type { NpcRule } from './rule.ts';

/** Reports criteria of terminal states, and follow-up criteria of states that allow no follow-up. */
export const ignoredCriteria: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    for (const state of states) {
      const { evaluation_criteria, follow_up_limit, is_terminal_state, state_key, at } = state;
      const path = [...at, 'evaluation_criteria'];
      if (is_terminal_state) {
        if (Object.keys(evaluation_criteria).length > 0)
          report(unusedCriteria(state_key), path, {
            at: 'key',
            follows: [[...at, 'is_terminal_state']],
          });
      } else if (evaluation_criteria.follow_up !== undefined && follow_up_limit === 0) {
        report(followUpSwitchedOff(), [...path, followUp], {
          follows: [[...at, 'follow_up_limit']],
        });
      }
    }
  }
};
