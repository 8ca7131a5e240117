import { problemsOf } from '@dramaturg/compiler/format';
import { agreeing, didYouMean, quotedList } from '@dramaturg/compiler/text';
import { longestState } from '../limits.ts';
import { kindWords } from '../vocabulary.ts';

const { error, warning } = problemsOf('lifecycle');

/** Problems of the states of a table. */

export const noStates = error('no-states', () => ({
  message: 'The lifecycle has no states.',
  hint: 'Add "states": { "OPEN": "initial", "CLOSED": "terminal" }.',
}));

export const tooMany = error('too-many', (count: string, what: string, limit: number) => ({
  message: `There are ${count} ${what}. The limit is ${limit}.`,
  hint: 'Leave out what is not needed.',
}));

export const badStateName = error('bad-state-name', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this state is blank.'
      : name.length > longestState
        ? `The name of this state has ${name.length} characters. The limit is ${longestState}.`
        : `"${name}" is a reserved name and cannot be the name of a state.`,
  hint: 'Choose another name.',
}));

export const duplicateState = error('duplicate-state', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

export const unknownState = error('unknown-state', (name: string, known: readonly string[]) => ({
  message: `There is no state "${name}".`,
  hint: () =>
    didYouMean(name, known) ?? 'Add it to "states", or write the name of an existing state.',
}));

export const unknownKind = error('unknown-kind', (kind: string) => ({
  message: `There is no kind of state "${kind}".`,
  hint: () =>
    didYouMean(kind, Object.keys(kindWords)) ??
    'The kinds are initial, normal, working, waiting, suspended and terminal.',
}));

export const conflictingKind = error(
  'conflicting-kind',
  (name: string, kind: string, role: string) => ({
    message: `The state "${name}" is ${role}, but its kind is ${kind}.`,
    hint: 'Make the two agree, or remove one of them.',
  }),
);

export const noInitialState = error('no-initial-state', () => ({
  message: 'The lifecycle has no initial state.',
  hint: 'Add "initial": the name of a state.',
}));

export const severalInitialStates = error('several-initial-states', (first: string) => ({
  message: `There is another initial state, "${first}", but there can be only one.`,
  hint: 'Change the kind of all but one, or write "initial" to choose.',
}));

export const badInitialState = error(
  'bad-initial-state',
  (name: string, because: 'terminal' | 'returning') => ({
    message:
      because === 'terminal'
        ? `The lifecycle begins in "${name}", which is terminal, so an instance would end at once.`
        : `The lifecycle begins in "${name}", which leads back to the previous state, but there is no previous state.`,
    hint: 'Begin in another state.',
  }),
);

export const noTerminalState = warning('no-terminal-state', () => ({
  message: 'No state is terminal, so an instance never ends.',
  hint: 'Name the last states in "terminal", or give them that kind.',
}));

export const noWayToAnEnd = warning('no-way-to-an-end', (names: readonly string[]) => ({
  message: `From the ${agreeing('state', names.length)} ${quotedList(names)} no terminal state can be reached.`,
  hint: 'Add a row towards a terminal state.',
}));

export const missingCommand = warning('missing-command', (name: string, event: string) => ({
  message: `The state "${name}" has no row for "${event}", but other states do.`,
  hint: `Add a row for it, or write a row from "*" for all states.`,
}));
