import { problem } from '@dramaturg/compiler/format';

/** A field that this part of a workflow cannot have. */
export const unsupportedField = problem(
  'asl/unsupported-field',
  'error',
  (field: string, owner: string, hint: string = 'Remove it, or move it to "Comment".') => ({
    message: `${owner} has no field "${field}".`,
    hint,
  }),
);

export const agentField = problem('asl/agent-field', 'error', (field: string) => ({
  message: `"${field}" is a field of Agent State Language only, and this is Amazon States Language.`,
  hint: 'Remove it, or set the option "dialect" to "agent".',
}));

/** A warning only, because Agent State Language is still growing. */
export const unknownField = problem(
  'asl/unknown-field',
  'warning',
  (field: string, owner: string, hint: string | undefined) => ({
    message: `${owner} has no field "${field}". It has no effect.`,
    hint,
  }),
);

export const wrongQueryLanguage = problem(
  'asl/wrong-query-language',
  'error',
  (field: string, speaks: string, belongs: string) => ({
    message: `"${field}" is a field of ${belongs} states, but this state uses ${speaks}.`,
    hint: () => {
      const other = Object.hasOwn(counterparts, field) ? counterparts[field] : undefined;
      if (other !== undefined) return `Use "${other}".`;
      return belongs === 'JSONata'
        ? 'Set "QueryLanguage": "JSONata" in the state, or remove the field.'
        : 'Remove it, or set "QueryLanguage": "JSONPath" in the state.';
    },
  }),
);

/** The field with the same purpose in the other query language. */
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
  message: 'A state of a JSONata workflow cannot use JSONPath.',
  hint: 'Set "QueryLanguage" to "JSONPath" in the workflow and to "JSONata" in the states that use it.',
}));

export const conflictingFields = problem(
  'asl/conflicting-fields',
  'error',
  (field: string, earlier: string) => ({
    message: `"${field}" and "${earlier}" set the same thing.`,
    hint: 'Remove one of the two.',
  }),
);

export const missingField = problem(
  'asl/missing-field',
  'error',
  (owner: string, fields: readonly string[]) => ({
    message: `${owner} needs ${fields.map((field) => `"${field}"`).join(' or ')}.`,
  }),
);

/** A field that limits or protects something, and does not. */
export const notEnforced = problem(
  'asl/not-enforced',
  'warning',
  (field: string, because: string) => ({
    message: `"${field}" is not enforced: ${because}.`,
    hint: 'Enforce it where the work is done, and remove the field if nobody does.',
  }),
);

export const carriedOnly = problem('asl/carried-only', 'info', (field: string) => ({
  message: `"${field}" has no effect yet.`,
}));
