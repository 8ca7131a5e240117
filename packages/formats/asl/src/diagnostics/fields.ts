import { problem } from '@dramaturg/compiler';

/** Refused: a field that this part of a workflow cannot have. */
export const unsupportedField = problem(
  'asl/unsupported-field',
  'error',
  (field: string, owner: string, near: string | undefined) => ({
    message: `${owner} has no field "${field}".`,
    hint: near === undefined ? 'Remove it, or move it to "Comment".' : `Did you mean "${near}"?`,
  }),
);

export const agentField = problem('asl/agent-field', 'error', (field: string) => ({
  message: `Amazon States Language has no field "${field}"; Agent State Language has.`,
  hint: 'Remove it, or set the option "dialect" to "agent".',
}));

/** Tolerated where agents work: their language is still growing. */
export const unknownField = problem(
  'asl/unknown-field',
  'warning',
  (field: string, owner: string, near: string | undefined) => ({
    message: `${owner} has no field "${field}". It has no effect.`,
    hint: near === undefined ? undefined : `Did you mean "${near}"?`,
  }),
);

export const wrongQueryLanguage = problem(
  'asl/wrong-query-language',
  'error',
  (field: string, speaks: string, belongs: string) => ({
    message: `"${field}" is a field of ${belongs} states, and this is a ${speaks} state.`,
    hint: () => {
      const other = Object.hasOwn(counterparts, field) ? counterparts[field] : undefined;
      if (other !== undefined) return `Use "${other}".`;
      return belongs === 'JSONata'
        ? 'Set "QueryLanguage": "JSONata" in the state, or remove the field.'
        : 'Remove it, or set "QueryLanguage": "JSONPath" in the state.';
    },
  }),
);

/** What says in the other language what a field says in one. */
const counterparts: Readonly<Record<string, string>> = {
  InputPath: '$states.input in the expressions that read it',
  OutputPath: 'Output',
  Parameters: 'Arguments',
  ResultSelector: 'Output',
  ResultPath: 'Output',
  ItemsPath: 'Items',
  Arguments: 'Parameters',
  Items: 'ItemsPath',
  Condition: 'Variable',
  Variable: 'Condition',
};

export const languageFixed = problem('asl/language-fixed', 'error', () => ({
  message: 'A state of a JSONata workflow cannot go back to JSONPath.',
  hint: 'Set "QueryLanguage": "JSONPath" for the workflow, and "JSONata" in the states that use it.',
}));

export const conflictingFields = problem(
  'asl/conflicting-fields',
  'error',
  (field: string, earlier: string) => ({
    message: `"${field}" means the same as "${earlier}".`,
    hint: `Keep one of the two.`,
  }),
);

export const missingField = problem(
  'asl/missing-field',
  'error',
  (owner: string, fields: readonly string[]) => ({
    message: `${owner} needs ${fields.map((field) => `"${field}"`).join(' or ')}.`,
  }),
);

export const carriedOnly = problem('asl/carried-only', 'info', (field: string) => ({
  message: `"${field}" has no effect yet.`,
}));
