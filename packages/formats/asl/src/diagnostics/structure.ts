import { didYouMean, problem, quotedList } from '@dramaturg/compiler';

export const noStates = problem('asl/no-states', 'error', () => ({
  message: 'There are no states here.',
  hint: 'Add at least one to "States", and name the first in "StartAt".',
}));

export const tooMany = problem('asl/too-many', 'error', (count: number, limit: number) => ({
  message: `This list has ${count} entries, and it may have ${limit}.`,
  hint: 'Split it: a program that writes lists of this size can write several workflows.',
}));

export const tooManyStates = problem('asl/too-many-states', 'error', (limit: number) => ({
  message: `The workflow has more than ${limit} states.`,
  hint: 'Split it into several workflows.',
}));

export const unknownType = problem(
  'asl/unknown-type',
  'error',
  (type: string, known: readonly string[]) => ({
    message: `There is no state type "${type}".`,
    hint: () => didYouMean(type, known) ?? `The types are ${known.join(', ')}.`,
  }),
);

export const agentType = problem('asl/agent-type', 'error', (type: string) => ({
  message: `Amazon States Language has no state type "${type}".`,
  hint: 'Leave the option "dialect" out, or set it to "agent".',
}));

export const unknownStart = problem(
  'asl/unknown-start',
  'error',
  (name: string, known: readonly string[], elsewhere: boolean) => ({
    message: `This begins in the state "${name}", and there is no such state here.`,
    hint: () =>
      elsewhere
        ? scopeHint
        : (didYouMean(name, known) ?? `Name one of the states here: ${quotedList(known, 'or')}.`),
  }),
);

export const unknownTarget = problem(
  'asl/unknown-target',
  'error',
  (name: string, known: readonly string[], elsewhere: boolean) => ({
    message: `There is no state "${name}" here.`,
    hint: () =>
      elsewhere
        ? scopeHint
        : (didYouMean(name, known) ?? `Name one of the states here: ${quotedList(known, 'or')}.`),
  }),
);

const scopeHint =
  'There is one elsewhere in the workflow; branches and iterators can neither be left nor entered by name.';

export const unreachableState = problem('asl/unreachable-state', 'error', (name: string) => ({
  message: `Nothing leads to the state "${name}".`,
  hint: 'Lead to it by "Next", "Default" or "Catch", or remove it.',
}));

export const noTerminalState = problem('asl/no-terminal-state', 'error', () => ({
  message: 'None of these states is an end, so this can never complete.',
  hint: 'Write "End": true instead of "Next" in one of them, or add a state of type Succeed or Fail.',
}));

export const nextAndEnd = problem('asl/next-and-end', 'error', (name: string) => ({
  message: `The state "${name}" both ends and leads to a next state.`,
  hint: 'Keep "Next" or "End": true.',
}));

export const noNext = problem('asl/no-next', 'error', (name: string, isFalse: boolean) => ({
  message: `The state "${name}" neither ends nor leads to a next state.`,
  hint: isFalse
    ? '"End": false says nothing; write "End": true, or add "Next".'
    : 'Add "Next": the name of a state, or "End": true.',
}));

export const duplicateState = problem('asl/duplicate-state', 'error', (name: string) => ({
  message: `There is more than one state "${name}" in the workflow.`,
  hint: 'Rename one: names are unique in the whole workflow, branches and iterators included.',
}));

export const longName = problem('asl/long-name', 'error', (length: number, limit: number) => ({
  message: `This name has ${length} characters, and it may have ${limit}.`,
  hint: 'Shorten it, and say the rest in "Comment".',
}));

export const emptyName = problem('asl/empty-name', 'error', () => ({
  message: 'This state has an empty name.',
  hint: 'Name it after what it does.',
}));

export const emptyList = problem('asl/empty-list', 'error', (field: string) => ({
  message: `The list "${field}" is empty, and it needs at least one entry.`,
  hint: `Add an entry: "${field}": [${field === 'ErrorEquals' ? '"States.ALL"' : field === 'Options' ? '"approve", "reject"' : '{ ... }'}].`,
}));
