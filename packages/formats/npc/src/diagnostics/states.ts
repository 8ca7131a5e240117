import { problemsOf } from '@dramaturg/compiler/format';
import { agreeing, didYouMean, quotedList } from '@dramaturg/compiler/text';

const { error, info, misread, warning } = problemsOf('npc');

/** Problems of a state and of its evaluation. */

export const noStates = error('no-states', () => ({
  message: 'The scenario has no states.',
  hint: 'Add an initial state and a terminal one.',
}));

export const blankStateKey = error('blank-state-key', () => ({
  message: 'The state_key is blank.',
  hint: 'Write a name by which transitions can refer to the state.',
}));

export const duplicateState = error('duplicate-state', (key: string) => ({
  message: `There is more than one state "${key}" in the scenario.`,
  hint: 'Give each state a state_key of its own.',
}));

export const reservedKey = error('reserved-key', (what: string, key: string) => ({
  message: `"${key}" is a reserved name and cannot be ${what}.`,
  hint: 'Choose another name.',
}));

export const noInitialState = error('no-initial-state', (scenario: string) => ({
  message: `The scenario "${scenario}" has no initial state.`,
  hint: 'Set "is_initial_state": true in the state where it begins.',
}));

export const severalInitialStates = error('several-initial-states', (first: string) => ({
  message: `The scenario has another initial state, "${first}", and there can be only one.`,
  hint: 'Set "is_initial_state": false in all but one.',
}));

export const noTerminalState = error('no-terminal-state', (scenario: string) => ({
  message: `The scenario "${scenario}" has no terminal state.`,
  hint: 'Set "is_terminal_state": true in the state that ends it.',
}));

export const initialAndTerminal = error('initial-and-terminal', (key: string) => ({
  message: `The state "${key}" is both initial and terminal, so the player could never answer.`,
  hint: 'Add a state in which the conversation ends.',
}));

export const noTransitions = misread('no-transitions', () => ({
  message: 'The scenario has several states, but no transitions.',
  hint: 'Add "transitions": [{ "from_state_key": ..., "to_state_key": ..., "decision_type": "pass" }].',
}));

export const noWayOn = misread('no-way-on', (key: string) => ({
  message: `The state "${key}" has no transition for a pass, so a pass there is treated as a redirect.`,
  hint: 'Add a transition with "decision_type": "pass", or set "is_terminal_state": true.',
}));

export const noWayToAnEnd = misread('no-way-to-an-end', (keys: readonly string[]) => ({
  message: `From the ${agreeing('state', keys.length)} ${quotedList(keys)} no terminal state can be reached.`,
  hint: 'Add a transition for a pass towards a terminal state.',
}));

export const equalDisplayOrder = info('equal-display-order', (order: number, other: string) => ({
  message: `The state "${other}" also has the display_order ${order}. Only editors use this number.`,
}));

export const unknownOutcome = error(
  'unknown-outcome',
  (outcome: string, known: readonly string[]) => ({
    message: `There is no outcome "${outcome}" here.`,
    hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
  }),
);

export const ignoredOutcome = misread('ignored-outcome', (reason: 'scoring' | 'not-terminal') => ({
  message:
    reason === 'scoring'
      ? 'The terminal_outcome has no effect in scoring mode: the score decides.'
      : 'The terminal_outcome has no effect in a state that is not terminal.',
  hint:
    reason === 'scoring'
      ? 'Remove it, or set "scoring_mode": "pass_fail".'
      : 'Remove it, or set "is_terminal_state": true.',
}));

export const unlabelledEnds = warning('unlabelled-ends', (keys: readonly string[]) => {
  return {
    message: `The terminal ${agreeing('state', keys.length)} ${quotedList(keys)} ${keys.length === 1 ? 'has' : 'have'} no "terminal_outcome" and ${keys.length === 1 ? 'counts' : 'count'} as ACCEPT.`,
    hint: 'Set "terminal_outcome" to "ACCEPT" or "REJECT" in each terminal state.',
  };
});

export const unusedCriteria = warning('unused-criteria', (key: string) => ({
  message: `The criteria of the terminal state "${key}" have no effect: nothing is evaluated there.`,
  hint: 'Move the criteria to the state before it.',
}));

export const followUpSwitchedOff = warning('follow-up-switched-off', () => ({
  message: 'The follow_up criterion is never used, because the follow_up_limit is 0.',
  hint: 'Raise the limit, or remove the criterion.',
}));
