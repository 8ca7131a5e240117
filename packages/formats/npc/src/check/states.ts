import { reachableFrom, sourcesOf } from '@dramaturg/compiler/chart';
import { agreeing, quotedList } from '@dramaturg/compiler/text';
import { isOtherTarget, reportDuplicates, restart } from '@dramaturg/conversation';
import { eachScenario, followUp, hasEnd, type Scenario, type State } from '../definition.ts';
import { error, info, misread, warning } from '../problems.ts';
import { inRows, inStates, scenarioGraph, waysOf } from '../scenario-graph.ts';

const duplicateState = error('duplicate-state', (key: string) => ({
  message: `There is more than one state "${key}" in the scenario.`,
  hint: 'Give each state a state_key of its own.',
}));

const reservedKey = error('reserved-key', (what: string, key: string) => ({
  message: `"${key}" is a reserved name and cannot be ${what}.`,
  hint: 'Choose another name.',
}));

/** Reports state keys that are used twice in a scenario, or reserved for a state of the engine. */
export const duplicateStates = eachScenario(({ states }, report) => {
  const named = states.map(({ state_key: name, at }) => ({ name, path: [...at, 'state_key'] }));
  reportDuplicates(named, duplicateState, report);
  for (const { name, path } of named)
    if (name === followUp || isOtherTarget(name))
      report(reservedKey('the key of a state', name), path);
});

const noInitialState = error('no-initial-state', (scenario: string) => ({
  message: `The scenario "${scenario}" has no initial state.`,
  hint: 'Set "is_initial_state": true in the state where it begins.',
}));

const severalInitialStates = error('several-initial-states', (first: string) => ({
  message: `The scenario has another initial state, "${first}", and there can be only one.`,
  hint: 'Set "is_initial_state": false in all but one.',
}));

/** Reports scenarios with no initial state or with several. Spec: docs/formats/npc.md#state */
export const wrongInitialStates = eachScenario((scenario, report) => {
  const { states, machine_key, at } = scenario;
  const [first, ...others] = states.filter((state) => state.is_initial_state);
  const marks = inStates(scenario, 'is_initial_state');
  if (!first && states.length > 0)
    report(noInitialState(machine_key), [...at, 'states'], { about: marks, follows: marks });
  for (const other of others)
    report(severalInitialStates(first!.state_key), [...other.at, 'is_initial_state'], {
      related: [{ path: [...first!.at, 'is_initial_state'], message: 'The first initial state.' }],
    });
});

const noTerminalState = error('no-terminal-state', (scenario: string) => ({
  message: `The scenario "${scenario}" has no terminal state.`,
  hint: 'Set "is_terminal_state": true in the state that ends it.',
}));

const initialAndTerminal = error('initial-and-terminal', (key: string) => ({
  message: `The state "${key}" is both initial and terminal, so the player could never answer.`,
  hint: 'Add a state in which the conversation ends.',
}));

/** Reports scenarios without a terminal state, and initial states that are terminal: no turn could ever happen. */
export const missingTerminalStates = eachScenario((scenario, report) => {
  const { states, machine_key, at } = scenario;
  const marks = inStates(scenario, 'is_terminal_state');
  if (!hasEnd(scenario) && states.length > 0)
    report(noTerminalState(machine_key), [...at, 'states'], { about: marks, follows: marks });
  for (const { state_key, is_initial_state, is_terminal_state, at: stateAt } of states)
    if (is_initial_state && is_terminal_state)
      report(initialAndTerminal(state_key), [...stateAt, 'is_terminal_state']);
});

const noTransitions = misread('no-transitions', () => ({
  message: 'The scenario has several states, but no transitions.',
  hint: 'Add "transitions": [{ "from_state_key": ..., "to_state_key": ..., "decision_type": "pass" }].',
}));

const noWayOn = misread('no-way-on', (key: string) => ({
  message: `The state "${key}" has no transition for a pass, so a pass there is treated as a redirect.`,
  hint: 'Add a transition with "decision_type": "pass", or set "is_terminal_state": true.',
}));

/** Reports states that are not terminal and have no transition for a pass. */
export const statesWithoutPass = eachScenario((scenario, report) => {
  const { rows } = scenarioGraph(scenario);
  const { transitions, states, at: scenarioAt } = scenario;
  if (transitions.length === 0 && states.length > 1) {
    const path = [...scenarioAt, 'transitions'];
    report(noTransitions(), scenarioAt, { about: [path], follows: inRows(scenario, '*') });
    return;
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
});

const noWayToAnEnd = misread('no-way-to-an-end', (keys: readonly string[]) => ({
  message: `From the ${agreeing('state', keys.length)} ${quotedList(keys)} no terminal state can be reached.`,
  hint: 'Add a transition for a pass towards a terminal state.',
}));

/** Reports states from which passes never reach a terminal state. */
export const statesWithoutEnd = eachScenario((scenario, report) => {
  const { targets, rows, byKey } = scenarioGraph(scenario);
  // A pass to an unknown state may have been meant to lead to the end. A person who takes over is an end, too.
  const leadsNowhere = ({ state_key }: State) =>
    rows(state_key, 'pass').some(({ to_state_key: to }) => to !== restart && !byKey.has(to));
  const begins = keysOf(scenario, (state) => state.is_initial_state);
  const ends = keysOf(scenario, (state) => state.is_terminal_state || leadsNowhere(state));
  if (ends.length === 0) return; // `missingTerminalStates` reports this.
  const reached = reachableFrom(begins, targets);
  const canEnd = reachableFrom(ends, sourcesOf(byKey.keys(), targets));
  const stuck = [...byKey.values()].filter(
    ({ state_key: key }) => targets(key).length > 0 && reached.has(key) && !canEnd.has(key),
  );
  const [first] = stuck;
  if (first)
    report(noWayToAnEnd(stuck.map(({ state_key }) => state_key)), first.at, {
      about: stuck.map((state) => [...state.at, 'transitions']),
      follows: waysOf(scenario),
    });
});

function keysOf({ states }: Scenario, isMeant: (state: State) => boolean): string[] {
  return states.filter(isMeant).map(({ state_key }) => state_key);
}

const equalDisplayOrder = info('equal-display-order', (order: number, other: string) => ({
  message: `The state "${other}" also has the display_order ${order}. Only editors use this number.`,
}));

/** Reports two states with the same `display_order`: the field has no effect, but this is probably a mistake. */
export const equalDisplayOrders = eachScenario(({ states }, report) => {
  const first = new Map<number, string>();
  for (const { display_order: order, state_key, at } of states) {
    if (order === undefined) continue;
    const other = first.get(order);
    if (other === undefined) first.set(order, state_key);
    else report(equalDisplayOrder(order, other), [...at, 'display_order']);
  }
});

const ignoredOutcome = misread('ignored-outcome', (where: string, otherwise: string) => ({
  message: `The terminal_outcome has no effect in ${where}.`,
  hint: `Remove it, or set ${otherwise}.`,
}));

const unlabelledEnds = warning('unlabelled-ends', (keys: readonly string[]) => ({
  message: `The terminal ${agreeing('state', keys.length)} ${quotedList(keys)} ${keys.length === 1 ? 'has' : 'have'} no "terminal_outcome" and ${keys.length === 1 ? 'counts' : 'count'} as ACCEPT.`,
  hint: 'Set "terminal_outcome" to "ACCEPT" or "REJECT" in each terminal state.',
}));

/** Reports outcomes where they have no effect, and ends of a pass/fail scenario without an outcome. */
export const ignoredOutcomes = eachScenario((scenario, report) => {
  const { states, scoring_mode, at: scenarioAt } = scenario;
  const modeAt = [...scenarioAt, 'scoring_mode'];
  for (const { terminal_outcome, is_terminal_state, at } of states) {
    if (terminal_outcome === undefined) continue;
    const path = [...at, 'terminal_outcome'];
    if (!is_terminal_state)
      report(ignoredOutcome('a state that is not terminal', '"is_terminal_state": true'), path, {
        follows: [[...at, 'is_terminal_state']],
      });
    else if (scoring_mode === 'scoring')
      report(
        ignoredOutcome('scoring mode: the score decides', '"scoring_mode": "pass_fail"'),
        path,
        { follows: [modeAt], topic: JSON.stringify(modeAt) },
      );
  }
  const terminal = states.filter((state) => state.is_terminal_state);
  const unlabelled = terminal.filter((state) => state.terminal_outcome === undefined);
  const [first] = unlabelled;
  if (scoring_mode === 'pass_fail' && terminal.length > 1 && first)
    report(unlabelledEnds(unlabelled.map(({ state_key }) => state_key)), first.at, {
      follows: [modeAt, ...inStates(scenario, 'terminal_outcome', 'is_terminal_state')],
    });
});

const unusedCriteria = warning('unused-criteria', (key: string) => ({
  message: `The criteria of the terminal state "${key}" have no effect: nothing is evaluated there.`,
  hint: 'Move the criteria to the state before it.',
}));

const followUpSwitchedOff = warning('follow-up-switched-off', () => ({
  message: 'The follow_up criterion is never used, because the follow_up_limit is 0.',
  hint: 'Raise the limit, or remove the criterion.',
}));

/** Reports criteria of terminal states, and follow-up criteria of states that allow no follow-up. */
export const ignoredCriteria = eachScenario(({ states }, report) => {
  for (const state of states) {
    const { evaluation_criteria: criteria, follow_up_limit, is_terminal_state, at } = state;
    const path = [...at, 'evaluation_criteria'];
    const follows = [[...at, is_terminal_state ? 'is_terminal_state' : 'follow_up_limit']];
    if (!is_terminal_state) {
      if (criteria.follow_up !== undefined && follow_up_limit === 0)
        report(followUpSwitchedOff(), [...path, followUp], { follows });
    } else if (Object.keys(criteria).length > 0)
      report(unusedCriteria(state.state_key), path, { at: 'key', follows });
  }
});
