import { problem } from '@dramaturg/compiler/format';
import { agreeing, didYouMean, quotedList } from '@dramaturg/compiler/text';

/** Problems of a state and of its evaluation. */

export const noStates = problem('npc/no-states', 'error', () => ({
  message: 'The scenario has no states.',
  hint: 'Add an initial state and a terminal one.',
}));

export const blankStateKey = problem('npc/blank-state-key', 'error', () => ({
  message: 'The state_key is blank.',
  hint: 'Write a name by which transitions can refer to the state.',
}));

export const duplicateState = problem('npc/duplicate-state', 'error', (key: string) => ({
  message: `There is more than one state "${key}" in the scenario.`,
  hint: 'Give each state a state_key of its own.',
}));

export const reservedKey = problem('npc/reserved-key', 'error', (what: string, key: string) => ({
  message: `"${key}" is a reserved name and cannot be ${what}.`,
  hint: 'Choose another name.',
}));

export const noInitialState = problem('npc/no-initial-state', 'error', (scenario: string) => ({
  message: `The scenario "${scenario}" has no initial state.`,
  hint: 'Set "is_initial_state": true in the state where it begins.',
}));

export const severalInitialStates = problem(
  'npc/several-initial-states',
  'error',
  (first: string) => ({
    message: `The scenario has another initial state, "${first}", and there can be only one.`,
    hint: 'Set "is_initial_state": false in all but one.',
  }),
);

export const noTerminalState = problem('npc/no-terminal-state', 'error', (scenario: string) => ({
  message: `The scenario "${scenario}" has no terminal state.`,
  hint: 'Set "is_terminal_state": true in the state that ends it.',
}));

export const initialAndTerminal = problem('npc/initial-and-terminal', 'error', (key: string) => ({
  message: `The state "${key}" is both initial and terminal, so the player could never answer.`,
  hint: 'Add a state in which the conversation ends.',
}));

export const noTransitions = problem(
  'npc/no-transitions',
  'warning',
  () => ({
    message: 'The scenario has several states, but no transitions.',
    hint: 'Add "transitions": [{ "from_state_key": ..., "to_state_key": ..., "decision_type": "pass" }].',
  }),
  { misread: true },
);

export const noWayOn = problem(
  'npc/no-way-on',
  'warning',
  (key: string) => ({
    message: `The state "${key}" has no transition for a pass, so a pass there is treated as a redirect.`,
    hint: 'Add a transition with "decision_type": "pass", or set "is_terminal_state": true.',
  }),
  { misread: true },
);

export const noWayToAnEnd = problem(
  'npc/no-way-to-an-end',
  'warning',
  (keys: readonly string[]) => ({
    message: `From the ${agreeing('state', keys.length)} ${quotedList(keys)} no terminal state can be reached.`,
    hint: 'Add a transition for a pass towards a terminal state.',
  }),
  { misread: true },
);

export const equalDisplayOrder = problem(
  'npc/equal-display-order',
  'info',
  (order: number, other: string) => ({
    message: `The state "${other}" also has the display_order ${order}. Only editors use this number.`,
  }),
);

export const unknownOutcome = problem(
  'npc/unknown-outcome',
  'error',
  (outcome: string, known: readonly string[]) => ({
    message: `There is no outcome "${outcome}" here.`,
    hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
  }),
);

export const ignoredOutcome = problem(
  'npc/ignored-outcome',
  'warning',
  (reason: 'scoring' | 'not-terminal') => ({
    message:
      reason === 'scoring'
        ? 'The terminal_outcome has no effect in scoring mode: the score decides.'
        : 'The terminal_outcome has no effect in a state that is not terminal.',
    hint:
      reason === 'scoring'
        ? 'Remove it, or set "scoring_mode": "pass_fail".'
        : 'Remove it, or set "is_terminal_state": true.',
  }),
  { misread: true },
);

export const unlabelledEnds = problem(
  'npc/unlabelled-ends',
  'warning',
  (keys: readonly string[]) => {
    return {
      message: `The terminal ${agreeing('state', keys.length)} ${quotedList(keys)} ${keys.length === 1 ? 'has' : 'have'} no "terminal_outcome" and ${keys.length === 1 ? 'counts' : 'count'} as ACCEPT.`,
      hint: 'Set "terminal_outcome" to "ACCEPT" or "REJECT" in each terminal state.',
    };
  },
);

export const unusedCriteria = problem('npc/unused-criteria', 'warning', (key: string) => ({
  message: `The criteria of the terminal state "${key}" have no effect: nothing is evaluated there.`,
  hint: 'Move the criteria to the state before it.',
}));

export const followUpSwitchedOff = problem('npc/follow-up-switched-off', 'warning', () => ({
  message: 'The follow_up criterion is never used, because the follow_up_limit is 0.',
  hint: 'Raise the limit, or remove the criterion.',
}));
