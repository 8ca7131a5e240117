import {
  leavesTerminalState,
  passToItself,
  redirectElsewhere,
} from '../diagnostics/transitions.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports a pass that stays, a redirect to another state, and transitions from terminal states. */
export const contradictoryTransitions: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const {
      from_state_key: from,
      to_state_key: to,
      decision_type,
      at,
    } of scenario.transitions) {
      const isToItself = from === to;
      if (byKey.get(from)?.is_terminal_state)
        report(leavesTerminalState(from), [...at, 'from_state_key'], {
          follows: [[...byKey.get(from)!.at, 'is_terminal_state']],
          topic: JSON.stringify([scenario.at, from]),
        });
      else if (decision_type === 'pass' && isToItself)
        report(passToItself(from), [...at, 'to_state_key']);
      else if (decision_type === 'redirect' && !isToItself && byKey.has(to))
        report(redirectElsewhere(to), [...at, 'to_state_key'], {
          follows: [[...at, 'from_state_key']],
        });
    }
  }
};
