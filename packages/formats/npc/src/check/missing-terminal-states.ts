import { initialAndTerminal, noTerminalState } from '../diagnostics/states.ts';
import { hasEnd } from '../scenario-graph.ts';
import { inStates } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports scenarios without a terminal state, and initial states that are terminal: no turn could ever happen. */
export const missingTerminalStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, machine_key, at } = scenario;
    const terminal = states.filter((state) => state.is_terminal_state);
    if (!hasEnd(scenario) && states.length > 0)
      report(noTerminalState(machine_key), [...at, 'states'], {
        about: inStates(scenario, 'is_terminal_state'),
        follows: inStates(scenario, 'is_terminal_state'),
      });
    for (const { state_key, is_initial_state, at: stateAt } of terminal) {
      if (is_initial_state)
        report(initialAndTerminal(state_key), [...stateAt, 'is_terminal_state']);
    }
  }
};
