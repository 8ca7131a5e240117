import { type Path, reachableFrom } from '@dramaturg/compiler';
import { followUp, type Scenario, type State } from '../definition.ts';
import {
  duplicateState,
  equalDisplayOrder,
  followUpSwitchedOff,
  ignoredOutcome,
  initialAndTerminal,
  noInitialState,
  noTerminalState,
  noTransitions,
  noWayOn,
  noWayToAnEnd,
  reservedKey,
  severalInitialStates,
  unlabelledEnds,
  unusedCriteria,
} from '../diagnostics/states.ts';
import { inRows, inStates, waysOf } from '../places.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** State keys are unique in their scenario, and the engine's own state keeps its name. */
export const stateKeys: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    const first = new Map<string, Path>();
    for (const { state_key: key, at } of states) {
      const path = [...at, 'state_key'];
      const earlier = first.get(key);
      if (earlier && key.trim() !== '')
        report(duplicateState(key), path, {
          related: [{ path: earlier, message: 'First declared here.' }],
        });
      first.set(key, earlier ?? path);
      if (key === followUp) report(reservedKey('the key of a state', key), path);
    }
  }
};

/** Every scenario has exactly one initial state. Spec: docs/formats/npc.md#state */
export const initialState: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, machine_key, at } = scenario;
    const [first, ...others] = states.filter((state) => state.is_initial_state);
    if (!first && states.length > 0)
      report(noInitialState(machine_key), [...at, 'states'], {
        about: inStates(scenario, 'is_initial_state'),
        follows: inStates(scenario, 'is_initial_state'),
      });
    for (const other of others)
      report(severalInitialStates(first!.state_key), [...other.at, 'is_initial_state'], {
        related: [{ path: [...first!.at, 'is_initial_state'], message: 'The first one.' }],
      });
  }
};

/** Every scenario has a terminal state, and it is not the one it begins in: no turn could ever happen. */
export const terminalStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, machine_key, at } = scenario;
    const terminal = states.filter((state) => state.is_terminal_state);
    if (terminal.length === 0 && states.length > 0)
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

/** A pass leads on from every state but the last. */
export const waysOn: NpcRule = ({ definition, report }) => {
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
      // In scoring mode a reject without a pass is reported where it stands.
      const rejects = scenario.scoring_mode === 'scoring' && rows(state_key, 'reject').length > 0;
      if (!rejects)
        report(noWayOn(state_key), at, {
          about: [[...at, 'transitions']],
          follows: [...waysOf(scenario), [...at, 'terminal_outcome']],
        });
    }
  }
};

/** From every state that a pass leaves, passes lead to a terminal state in the end. */
export const waysToAnEnd: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { targets, rows, byKey } = scenarioGraph(scenario);
    // Where a pass leads to nothing that exists, what it was meant to lead to may be the way.
    const leadsNowhere = ({ state_key }: State) =>
      rows(state_key, 'pass').some(({ to_state_key }) => !byKey.has(to_state_key));
    const begins = keysOf(scenario, (state) => state.is_initial_state);
    const ends = keysOf(scenario, (state) => state.is_terminal_state || leadsNowhere(state));
    if (ends.length === 0) continue; // No terminal state at all is an error of its own.
    const reached = reachableFrom(begins, targets);
    const canEnd = reachableFrom(ends, sourcesOf(scenario));
    const stuck = [...byKey.values()].filter(
      ({ state_key: key }) => targets(key).length > 0 && reached.has(key) && !canEnd.has(key),
    );
    const [first] = stuck;
    if (first)
      report(noWayToAnEnd(stuck.map(({ state_key }) => state_key)), first.at, {
        about: stuck.map((state) => [...state.at, 'transitions']),
        follows: waysOf(scenario),
      });
  }
};

function keysOf({ states }: Scenario, isMeant: (state: State) => boolean): string[] {
  return states.filter(isMeant).map(({ state_key }) => state_key);
}

function sourcesOf(scenario: Scenario): (key: string) => readonly string[] {
  const { targets } = scenarioGraph(scenario);
  const sources = new Map<string, string[]>();
  for (const { state_key } of scenario.states) {
    for (const target of targets(state_key)) {
      const known = sources.get(target);
      if (known) known.push(state_key);
      else sources.set(target, [state_key]);
    }
  }
  return (key) => sources.get(key) ?? [];
}

/** Where a state stands in an editor never has an effect; two in one place are most likely a slip there. */
export const displayOrder: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    const first = new Map<number, string>();
    for (const { display_order: order, state_key, at } of states) {
      if (order === undefined) continue;
      const other = first.get(order);
      if (other === undefined) first.set(order, state_key);
      else report(equalDisplayOrder(order, other), [...at, 'display_order']);
    }
  }
};

/** In pass/fail mode terminal states say which outcome they are; elsewhere nothing reads it. */
export const outcomes: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { states, scoring_mode, at: scenarioAt } = scenario;
    const modeAt = [...scenarioAt, 'scoring_mode'];
    for (const { terminal_outcome, is_terminal_state, at } of states) {
      if (terminal_outcome === undefined) continue;
      const path = [...at, 'terminal_outcome'];
      if (!is_terminal_state)
        report(ignoredOutcome('not-terminal'), path, { follows: [[...at, 'is_terminal_state']] });
      else if (scoring_mode === 'scoring')
        report(ignoredOutcome('scoring'), path, {
          follows: [modeAt],
          topic: JSON.stringify(modeAt),
        });
    }
    const terminal = states.filter((state) => state.is_terminal_state);
    const unlabelled = terminal.filter((state) => state.terminal_outcome === undefined);
    const [first] = unlabelled;
    if (scoring_mode === 'pass_fail' && terminal.length > 1 && first)
      report(unlabelledEnds(unlabelled.map(({ state_key }) => state_key)), first.at, {
        follows: [modeAt, ...inStates(scenario, 'terminal_outcome', 'is_terminal_state')],
      });
  }
};

/** Criteria stand where something is judged, and a follow-up is allowed where it is defined. */
export const criteria: NpcRule = ({ definition, report }) => {
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
