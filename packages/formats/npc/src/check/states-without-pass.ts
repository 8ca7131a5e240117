import { noTransitions, noWayOn } from '../diagnostics/states.ts';
import { inRows, waysOf } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports states that are not terminal and have no transition for a pass. */
export const statesWithoutPass: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { rows } = scenarioGraph(scenario);
    const { transitions, states, at: scenarioAt } = scenario;
    if (transitions.length === 0 && states.length > 1) {
      const path = [...scenarioAt, 'transitions'];
      report(noTransitions(), scenarioAt, { about: [path], follows: inRows(scenario, '*') });
      continue;
    }
    for (const { state_key, is_terminal_state, at } of scenario.states) {
      if (is_terminal_state || rows(state_key, 'pass').length > 0) continue;
      // In scoring mode a reject without a pass has its own finding.
      const rejects = scenario.scoring_mode === 'scoring' && rows(state_key, 'reject').length > 0;
      if (!rejects)
        report(noWayOn(state_key), at, {
          about: [[...at, 'transitions']],
          follows: [...waysOf(scenario), [...at, 'terminal_outcome']],
        });
    }
  }
};
