import { problemsOf } from '@dramaturg/compiler/format';
import { quotedList } from '@dramaturg/compiler/text';

const { error, info } = problemsOf('context-graph');

export const missingField = error('missing-field', (what: string, fields: readonly string[]) => ({
  message: `This ${what} has no ${quotedList(fields, 'or')}.`,
  hint: fields.every((field) => listFields.has(field))
    ? `Write ${fields.map((field) => `"${field}": []`).join(' and ')} if there are none, or compile with the option profile=lenient.`
    : `Add ${quotedList(fields)}.`,
}));

const listFields = new Set([
  'intra_state_navigation_guidelines',
  'action_guidelines',
  'boundary_constraints',
  'exit_conditions',
]);

export const blankText = error('blank-text', (what: string) => ({
  message: `This ${what} is blank.`,
  hint: 'Write a text, or remove it if it is optional.',
}));

export const unknownField = info('unknown-field', (what: string, field: string) => ({
  message: `The field "${field}" has no meaning in ${what} and is ignored.`,
}));
