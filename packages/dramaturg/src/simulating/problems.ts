import { problem } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

/** Mistakes in the file of a persona. Spec: docs/personas.md#a-persona-of-your-own */

export const unknownField = problem(
  'persona/unknown-field',
  'error',
  (field: string, what: string, known: readonly string[]) => ({
    message: `${what} has no field "${field}".`,
    hint: didYouMean(field, known) ?? `The fields are ${quotedList(known)}.`,
  }),
);

export const unknownBase = problem(
  'persona/unknown-base',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no built-in persona "${name}".`,
    hint: didYouMean(name, known) ?? `The built-in personas are ${quotedList(known)}.`,
  }),
);

export const unknownPlaceholder = problem(
  'persona/unknown-placeholder',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `"{${name}}" is not a placeholder, so the person would say it.`,
    hint: didYouMean(name, known) ?? `The placeholders are ${quotedList(known)}, in braces.`,
  }),
);

export const unknownAbsence = problem('persona/unknown-absence', 'error', (text: string) => ({
  message: `"${text}" is not a duration.`,
  hint: 'Write one such as "3 days" or "1 hour 30 minutes", or "forever".',
}));

export const answerUnsaid = problem('persona/answer-unsaid', 'error', (field: string) => ({
  message: `No line of "${field}" has "{answer}", so the person could never answer.`,
  hint: 'Add a line that is the answer alone: "{answer}".',
}));
