import {
  initialIsTerminal,
  notAnAction,
  terminalActions,
  terminalExits,
  unknownNewUserInitialState,
  unknownReturningUserInitialState,
  unknownTerminalState,
} from '../diagnostics.ts';
import { initialStates, statesByName } from '../ways.ts';
import type { GraphRule } from './rule.ts';

const roles = [
  { role: 'new_user_initial_state', unknown: unknownNewUserInitialState },
  { role: 'returning_user_initial_state', unknown: unknownReturningUserInitialState },
  { role: 'terminal_state', unknown: unknownTerminalState },
] as const;

/** A conversation starts and ends on action states of this graph. Spec: docs/formats/context-graph.md#graph */
export const initialAndTerminal: GraphRule = ({ definition, report }) => {
  const byName = statesByName(definition);
  for (const { role, unknown } of roles) {
    const name = definition[role];
    const state = byName.get(name);
    // An absent name is a matter of shape.
    if (name === '') continue;
    if (!state) report(unknown(name, [...byName.keys()]), [role]);
    else if (state.type !== 'action') report(notAnAction(name, state.type, role), [role]);
  }
};

/** The terminal state says one thing, and nothing leads out of it. */
export const terminalState: GraphRule = ({ definition, report }) => {
  const name = definition.terminal_state;
  const state = statesByName(definition).get(name);
  if (state?.type !== 'action') return;
  if (state.actions.length > 1)
    report(terminalActions(name, state.actions.length), [...state.at, 'actions']);
  if (state.exit_conditions.length > 0)
    report(terminalExits(name), [...state.at, 'exit_conditions'], { at: 'key' });
  if (initialStates(definition).includes(name)) report(initialIsTerminal(name), ['terminal_state']);
};
