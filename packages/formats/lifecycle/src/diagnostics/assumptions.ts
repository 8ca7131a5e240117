import { problemsOf } from '@dramaturg/compiler/format';

const { info, misread } = problemsOf('lifecycle');

/** The defaults for fields that an author left out. */

export const assumedTransitions = info('assumed-transitions', () => ({
  message:
    'The table has no transitions, so every state that is not terminal leads to every other state, on an event with the name of that state.',
  hint: 'Write "transitions" to choose which state leads where.',
}));

export const unnamedEvent = info('unnamed-event', (event: string) => ({
  message: `The row has no event, so it is taken on the event "${event}", the name of its target state.`,
  hint: 'Write "event", or "always": true for a row that waits for no event.',
}));

export const misnamedTarget = misread('misnamed-target', (field: string) => ({
  message: `The field "${field}" has no meaning in a row, so the row has no target.`,
  hint: `Rename "${field}" to "to".`,
}));
