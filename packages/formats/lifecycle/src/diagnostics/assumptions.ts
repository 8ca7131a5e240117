import { didYouMean, problem } from '@dramaturg/compiler';

/** What is assumed where an author has left something out. */

export const assumedTransitions = problem('lifecycle/assumed-transitions', 'info', () => ({
  message:
    'The table has no transitions, so every state that is not terminal leads to every other one, on the event that has the name of the other.',
  hint: 'Write "transitions" to say which state leads where.',
}));

export const unnamedEvent = problem('lifecycle/unnamed-event', 'info', (event: string) => ({
  message: `The row names no event, so it is taken on the event "${event}", the name of the state it leads to.`,
  hint: 'Write "event", or "always": true for a row that waits for nothing.',
}));

export const unknownField = problem(
  'lifecycle/unknown-field',
  'warning',
  (field: string, what: string, known: readonly string[]) => ({
    message: `The field "${field}" means nothing in ${what}; it is ignored.`,
    hint: () => didYouMean(field, known) ?? `The fields are ${known.join(', ')}.`,
  }),
);

export const misnamedTarget = problem(
  'lifecycle/misnamed-target',
  'warning',
  (field: string) => ({
    message: `The field "${field}" means nothing in a row, so the row leads nowhere.`,
    hint: 'Write "to".',
  }),
  { misread: true },
);
