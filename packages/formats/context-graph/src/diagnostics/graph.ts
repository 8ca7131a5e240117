import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('context-graph');

export const noStates = error('no-states', () => ({
  message: 'The graph has no states.',
  hint: 'Add an action state to "states", and name it in "new_user_initial_state".',
}));

export const bareState = error('bare-state', () => ({
  message:
    'This is a state without a graph around it, so a conversation has no beginning and no end.',
  hint: 'Put it into "states" of a graph with "new_user_initial_state", "returning_user_initial_state" and "terminal_state".',
}));

type Role = 'new_user_initial_state' | 'returning_user_initial_state' | 'terminal_state';

function unknownRole(code: string, role: Role, what: string) {
  return error(code, (name: string, known: readonly string[]) => ({
    message: `The graph ${what} in the state "${name}", which does not exist.`,
    hint: () =>
      didYouMean(name, known) ?? `Write the name of an action state of this graph in "${role}".`,
  }));
}

export const unknownNewUserInitialState = unknownRole(
  'unknown-new-user-initial-state',
  'new_user_initial_state',
  'begins for a new user',
);

export const unknownReturningUserInitialState = unknownRole(
  'unknown-returning-user-initial-state',
  'returning_user_initial_state',
  'begins for a returning user',
);

export const unknownTerminalState = unknownRole('unknown-terminal-state', 'terminal_state', 'ends');

export const notAnAction = error('not-an-action', (name: string, type: string, role: string) => ({
  message: `"${role}" is the ${type} state "${name}", but it must be an action state.`,
  hint: 'Name an action state: only action states speak to the person.',
}));

export const terminalActions = error('terminal-actions', (name: string, count: number) => ({
  message: `The terminal state "${name}" has ${count} actions, but it must have exactly one.`,
  hint: 'Merge them into one action, the last thing that is said.',
}));

export const terminalExits = error('terminal-exits', (name: string) => ({
  message: `The terminal state "${name}" has exit conditions, but the conversation ends there.`,
  hint: 'Write "exit_conditions": [].',
}));

export const initialIsTerminal = warning('initial-is-terminal', (name: string) => ({
  message: `The conversation begins in the terminal state "${name}", so it never ends by itself.`,
  hint: 'Add a state to begin in, unless the host ends the conversation.',
}));
