import { initialIsTerminal, terminalActions, terminalExits } from '../diagnostics/graph.ts';
import { initialStates, statesByName } from '../state-graph.ts';
import type { GraphRule } from './rule.ts';

/** Reports terminal states with several actions, with exits, or that are also initial. */
export const wrongTerminalStates: GraphRule = ({ definition, report }) => {
  const name = definition.terminal_state;
  const state = statesByName(definition).get(name);
  if (state?.type !== 'action') return;
  if (state.actions.length > 1)
    report(terminalActions(name, state.actions.length), [...state.at, 'actions']);
  if (state.exit_conditions.length > 0)
    report(terminalExits(name), [...state.at, 'exit_conditions'], { at: 'key' });
  if (initialStates(definition).includes(name)) report(initialIsTerminal(name), ['terminal_state']);
};
