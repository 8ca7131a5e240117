import { nearestName } from '@dramaturg/compiler/text';
import { checkOnEnd, otherTargets, reportDefinitions } from '@dramaturg/conversation';
import { type Graph, outcomesOf, targetsOf } from '../definition.ts';
import {
  initialIsTerminal,
  noStates,
  notAnAction,
  terminalActions,
  terminalExits,
  unknownNewUserInitialState,
  unknownReturningUserInitialState,
  unknownTerminalState,
} from '../diagnostics/graph.ts';
import * as starts from '../diagnostics/starts.ts';
import { unknownJumpback, unknownTarget } from '../diagnostics/targets.ts';
import { initialStates, statesByName } from '../state-graph.ts';
import type { GraphRule, UnknownName } from './rule.ts';

const roles = [
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

/** Reports graphs without states. */
export const missingStates: GraphRule = ({ definition, report }) => {
  const isEmpty = definition.states.length === 0 && !definition.hasNameless;
  if (isEmpty) report(noStates(), ['states'], { about: [['states']] });
};

/** Reports names that no state of this graph has. A name in several places is reported once. */
export const unknownNames: GraphRule = ({ definition, report }) => {
  const known = [...statesByName(definition).keys()];
  if (known.length === 0) return; // A graph without states is reported as such.
  const byName = new Map<string, UnknownName[]>();
  for (const unknown of [...unknownRoles(definition), ...unknownTargets(definition, known)]) {
    const { name } = unknown;
    if (definition.otherNames.includes(name)) continue;
    // The name may belong to a state whose own name is unreadable, which is reported already.
    if (definition.hasNameless && nearestName(name, known) === undefined) continue;
    byName.set(name, [...(byName.get(name) ?? []), unknown]);
  }
  for (const [name, [first, ...others]] of byName) {
    if (!first) continue;
    const about = [first, ...others].map(({ path }) => path);
    const related = others
      .slice(0, mostPlaces)
      .map(({ path }) => ({ path, message: `"${name}" is also named here.` }));
    report(first.problem, first.path, { about, related });
  }
};

/** The most additional places of one name in a finding. */
const mostPlaces = 5;

function unknownTargets({ states }: Graph, known: readonly string[]): UnknownName[] {
  const names = new Set(known);
  const unknown: UnknownName[] = [];
  for (const state of states) {
    for (const target of targetsOf(state)) {
      if (target.kind === 'malformed') continue;
      const { at } = target;
      if (target.kind === 'call' && !names.has(target.jumpback)) {
        const { jumpback: name } = target;
        unknown.push({ name, problem: unknownJumpback(name, known), path: [...at, 1] });
      } else if (target.kind === 'state' && !names.has(target.state)) {
        unknown.push({
          name: target.state,
          problem: unknownTarget(target.state, [...known, ...Object.keys(otherTargets)]),
          path: at,
        });
      }
    }
  }
  return unknown;
}

/** Names in roles that no state has. The shape check reports missing names. */
function unknownRoles(graph: Graph): UnknownName[] {
  const byName = statesByName(graph);
  const known = [...byName.keys()];
  return roles.flatMap(({ role, unknown }) => {
    const name = graph[role];
    if (name === '' || byName.has(name)) return [];
    return [{ name, problem: unknown(name, known), path: [role] }];
  });
}

/** Reports mistakes in the definitions that are started at the end. Spec: docs/formats/context-graph.md#start */
export const wrongStarts: GraphRule = ({ definition, options, report }) => {
  const { on_end: onEnd } = definition;
  reportDefinitions(starts, options.unknownDefinitions, report);
  const known = { values: ['outcome', 'state', 'reason'], outcomes: outcomesOf(definition) };
  if (onEnd) checkOnEnd(starts, onEnd, known, ['on_end'], report);
};
