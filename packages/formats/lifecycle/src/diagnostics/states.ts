import { agreeing, didYouMean, problem, quotedList } from '@dramaturg/compiler';
import { longestState } from '../limits.ts';
import { kindWords } from '../vocabulary.ts';

/** What can be wrong with the states of a table. */

export const noStates = problem('lifecycle/no-states', 'error', () => ({
  message: 'The lifecycle has no states.',
  hint: 'Add "states": { "OPEN": "initial", "CLOSED": "terminal" }.',
}));

export const tooMany = problem(
  'lifecycle/too-many',
  'error',
  (count: string, what: string, limit: number) => ({
    message: `There are ${count} ${what}, and there may be ${limit}.`,
    hint: 'Leave out what is not needed.',
  }),
);

export const badStateName = problem('lifecycle/bad-state-name', 'error', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this state is blank.'
      : name.length > longestState
        ? `The name of this state has ${name.length} characters, and it may have ${longestState}.`
        : `"${name}" means something of its own in a row, so no state can have that name.`,
  hint: 'Choose another name.',
}));

export const duplicateState = problem('lifecycle/duplicate-state', 'error', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

export const unknownState = problem(
  'lifecycle/unknown-state',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}".`,
    hint: () => didYouMean(name, known) ?? 'Add it to "states", or name one that is there.',
  }),
);

export const unknownKind = problem('lifecycle/unknown-kind', 'error', (kind: string) => ({
  message: `There is no kind of state "${kind}".`,
  hint: () =>
    didYouMean(kind, Object.keys(kindWords)) ??
    'The kinds are initial, normal, working, waiting, suspended and terminal.',
}));

export const conflictingKind = problem(
  'lifecycle/conflicting-kind',
  'error',
  (name: string, kind: string, role: string) => ({
    message: `The state "${name}" is ${role}, and its kind is ${kind}.`,
    hint: 'Make the two agree, or leave one of them out.',
  }),
);

export const noInitialState = problem('lifecycle/no-initial-state', 'error', () => ({
  message: 'It is not said in which state an instance begins.',
  hint: 'Add "initial": the name of a state.',
}));

export const severalInitialStates = problem(
  'lifecycle/several-initial-states',
  'error',
  (first: string) => ({
    message: `There is another initial state, "${first}", and there can be only one.`,
    hint: 'Change the kind of all but one, or write "initial" to choose.',
  }),
);

export const badInitialState = problem(
  'lifecycle/bad-initial-state',
  'error',
  (name: string, because: 'terminal' | 'returning') => ({
    message:
      because === 'terminal'
        ? `The lifecycle begins in "${name}", which is terminal: nothing could ever happen.`
        : `The lifecycle begins in "${name}", which leads back to the previous state, and there would be none.`,
    hint: 'Begin in another state.',
  }),
);

export const noTerminalState = problem('lifecycle/no-terminal-state', 'warning', () => ({
  message: 'No state is terminal, so an instance never ends.',
  hint: 'Name the last states in "terminal", or give them that kind.',
}));

export const noWayToAnEnd = problem(
  'lifecycle/no-way-to-an-end',
  'warning',
  (names: readonly string[]) => ({
    message: `From the ${agreeing('state', names.length)} ${quotedList(names)} no terminal state can be reached.`,
    hint: 'Add a row that leads, in the end, to a terminal state.',
  }),
);

export const missingCommand = problem(
  'lifecycle/missing-command',
  'warning',
  (name: string, event: string) => ({
    message: `An instance in "${name}" does not accept "${event}", and in other states it does.`,
    hint: `Add a row for it, or write one from "*" for all states.`,
  }),
);
