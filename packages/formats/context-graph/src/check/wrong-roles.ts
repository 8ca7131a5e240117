import {
  notAnAction,
  unknownNewUserInitialState,
  unknownReturningUserInitialState,
  unknownTerminalState,
} from '../diagnostics/graph.ts';
import { statesByName } from '../state-graph.ts';
import type { GraphRule } from './rule.ts';

export const roles = [
  { role: 'new_user_initial_state', unknown: unknownNewUserInitialState },
  { role: 'returning_user_initial_state', unknown: unknownReturningUserInitialState },
  { role: 'terminal_state', unknown: unknownTerminalState },
] as const;

/** Reports initial and terminal states that are not action states. Spec: docs/formats/context-graph.md#graph */
export const wrongRoles: GraphRule = ({ definition, report }) => {
  const byName = statesByName(definition);
  for (const { role } of roles) {
    const name = definition[role];
    const state = byName.get(name);
    if (state && state.type !== 'action')
      report(notAnAction(name, state.type, role), [role], { follows: [[...state.at, 'type']] });
  }
};
