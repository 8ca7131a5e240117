import type { Graph } from '../definition.ts';
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
import type { GraphRule, UnknownName } from './rule.ts';

const roles = [
  { role: 'new_user_initial_state', unknown: unknownNewUserInitialState },
  { role: 'returning_user_initial_state', unknown: unknownReturningUserInitialState },
  { role: 'terminal_state', unknown: unknownTerminalState },
] as const;

/** A conversation starts and ends on action states of this graph. Spec: docs/formats/context-graph.md#graph */
export const initialAndTerminal: GraphRule = ({ definition, report }) => {
  const byName = statesByName(definition);
  for (const { role } of roles) {
    const name = definition[role];
    const state = byName.get(name);
    if (state && state.type !== 'action')
      report(notAnAction(name, state.type, role), [role], { follows: [[...state.at, 'type']] });
  }
};

/** Names of roles that no state has. An absent name is a matter of shape. */
export function unknownRoles(graph: Graph): UnknownName[] {
  const byName = statesByName(graph);
  const known = [...byName.keys()];
  return roles.flatMap(({ role, unknown }) => {
    const name = graph[role];
    if (name === '' || byName.has(name)) return [];
    return [{ name, problem: unknown(name, known), path: [role] }];
  });
}

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
