import { reachableFrom } from '@dramaturg/compiler/chart';
import { isOtherTarget, reportDuplicates, restart } from '@dramaturg/conversation';
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
import { hasEnd, scenarioGraph } from '../scenario-graph.ts';
import { inRows, inStates, waysOf } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports state keys that are used twice in a scenario, or reserved for a state of the engine. */
export const duplicateStates: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    const named = states.map(({ state_key: name, at }) => ({ name, path: [...at, 'state_key'] }));
    reportDuplicates(named, duplicateState, report);
    for (const { name, path } of named)
      if (name === followUp || isOtherTarget(name))
        report(reservedKey('the key of a state', name), path);
  }
};

/** Reports scenarios with no initial state or with several. Spec: docs/formats/npc.md#state */
export const wrongInitialStates: NpcRule = ({ definition, report }) => {
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
        related: [
          { path: [...first!.at, 'is_initial_state'], message: 'The first initial state.' },
        ],
      });
  }
};

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

/** Reports states from which passes never reach a terminal state. */
export const statesWithoutEnd: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { targets, rows, byKey } = scenarioGraph(scenario);
    // A pass to an unknown state may have been meant to lead to the end. A person who takes over is an end, too.
    const leadsNowhere = ({ state_key }: State) =>
      rows(state_key, 'pass').some(({ to_state_key: to }) => to !== restart && !byKey.has(to));
    const begins = keysOf(scenario, (state) => state.is_initial_state);
    const ends = keysOf(scenario, (state) => state.is_terminal_state || leadsNowhere(state));
    if (ends.length === 0) continue; // `missingTerminalStates` reports this.
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

/** Reports two states with the same `display_order`: the field has no effect, but this is probably a mistake. */
export const equalDisplayOrders: NpcRule = ({ definition, report }) => {
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

/** Reports outcomes where they have no effect, and ends of a pass/fail scenario without an outcome. */
export const ignoredOutcomes: NpcRule = ({ definition, report }) => {
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
