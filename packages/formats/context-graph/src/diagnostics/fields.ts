import { problem } from '@dramaturg/compiler/format';
import { quotedList } from '@dramaturg/compiler/text';

export const missingField = problem(
  'context-graph/missing-field',
  'error',
  (what: string, fields: readonly string[]) => ({
    message: `This ${what} has no ${quotedList(fields, 'or')}.`,
    hint: fields.every((field) => listFields.has(field))
      ? `Write ${fields.map((field) => `"${field}": []`).join(' and ')} if there are none, or compile with the option profile=lenient.`
      : `Add ${quotedList(fields)}.`,
  }),
);

const listFields = new Set([
  'intra_state_navigation_guidelines',
  'action_guidelines',
  'boundary_constraints',
  'exit_conditions',
]);

export const blankText = problem('context-graph/blank-text', 'error', (what: string) => ({
  message: `This ${what} is blank.`,
  hint: 'Write a text, or remove it if it is optional.',
}));

export const unknownField = problem(
  'context-graph/unknown-field',
  'info',
  (what: string, field: string) => ({
    message: `The field "${field}" has no meaning in ${what} and is ignored.`,
  }),
);
