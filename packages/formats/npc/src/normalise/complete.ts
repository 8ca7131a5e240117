import type { Report } from '@dramaturg/compiler/format';
import type { Scenario, State, Transition } from '../definition.ts';
import { info } from '../problems.ts';
import { hasEnd } from '../scenario-graph.ts';

const bareStates = info('bare-states', () => ({
  message:
    'These are states without a persona or a scenario around them. They are compiled as a scenario in pass/fail mode.',
  hint: 'Write { "persona": {...}, "machine_key": ..., "states": [...], "transitions": [...] } to add a persona and transitions.',
}));

const assumedInitialState = info('assumed-initial-state', (key: string) => ({
  message: `No state is initial, so the conversation begins in the first one, "${key}".`,
  hint: 'Set "is_initial_state": true in the state where the conversation begins.',
}));

const assumedEnd = info('assumed-end', () => ({
  message: 'No state is terminal, so a last state is added in which the NPC says goodbye.',
  hint: 'Set "is_terminal_state": true in the state that ends the conversation.',
}));

const assumedTransitions = info('assumed-transitions', () => ({
  message: 'There are no transitions, so a pass leads from each state to the next one in the list.',
  hint: 'Write "transitions" to choose the order yourself.',
}));

/**
 * Makes a scenario of bare states, as on the page "States", and reports each assumption. A whole scenario is
 * never completed: there the same gaps are errors. Spec: docs/formats/npc.md#bare-states
 */
export function completed(scenario: Scenario, report: Report): Scenario {
  const { at } = scenario;
  report(bareStates(), at);
  let { states, transitions } = scenario;
  const [first] = states;
  if (first && states.every((state) => !state.is_initial_state)) {
    report(assumedInitialState(first.state_key), first.at);
    states = [{ ...first, is_initial_state: true }, ...states.slice(1)];
  }
  const last = states.at(-1);
  if (last && !hasEnd({ states, transitions })) {
    report(assumedEnd(), at);
    const end = suppliedEnd(states, last);
    if (transitions.length > 0) transitions = withWaysTo(end, states, transitions);
    states = [...states, end];
  }
  if (states.length > 1 && transitions.length === 0) {
    // A single state can only lead to the added end, so there is no assumption to report.
    if (scenario.states.length > 1) report(assumedTransitions(), at);
    transitions = states.flatMap((state, index) => {
      const next = states[index + 1];
      return next && !state.is_terminal_state ? [passTo(state, next)] : [];
    });
  }
  return { ...scenario, states, transitions };
}

function suppliedEnd(states: readonly State[], last: State): State {
  const keys = new Set(states.map(({ state_key }) => state_key));
  let state_key = 'end';
  for (let number = 2; keys.has(state_key); number += 1) state_key = `end ${number}`;
  return {
    ...last,
    state_key,
    label: 'End',
    prompt_instruction: 'Bring the conversation to a friendly end and take your leave.',
    is_initial_state: false,
    is_terminal_state: true,
    display_order: undefined,
    evaluation_criteria: {},
    terminal_outcome: undefined,
  };
}

/** Adds a pass to the end for each state without a pass. */
function withWaysTo(
  end: State,
  states: readonly State[],
  transitions: readonly Transition[],
): readonly Transition[] {
  const leaving = new Set(
    transitions.flatMap((one) => (one.decision_type === 'pass' ? [one.from_state_key] : [])),
  );
  const open = states.filter(({ state_key }) => !leaving.has(state_key));
  return [...transitions, ...open.map((state) => passTo(state, end))];
}

function passTo(from: State, to: State): Transition {
  return {
    row: 'pass',
    from_state_key: from.state_key,
    to_state_key: to.state_key,
    decision_type: 'pass',
    score_delta: 0,
    priority: 1,
    condition: '',
    at: from.at,
  };
}
