import { problem } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

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

export const noStates = problem('asl/no-states', 'error', () => ({
  message: '"States" is empty.',
  hint: 'Add a state, and name it in "StartAt".',
}));

export const bareStates = problem('asl/bare-states', 'error', (first: string) => ({
  message: 'These are states without a workflow around them, so nothing says which is the first.',
  hint: `Put them into a workflow: { "StartAt": ${JSON.stringify(first)}, "States": { … } }.`,
}));

export const tooMany = problem('asl/too-many', 'error', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several workflows.',
}));

export const tooManyStates = problem('asl/too-many-states', 'error', (limit: number) => ({
  message: `The workflow has more than ${limit} states.`,
  hint: 'Split it into several workflows.',
}));

export const unknownType = problem(
  'asl/unknown-type',
  'error',
  (type: string, suggested: readonly string[], known: readonly string[]) => ({
    message: `There is no state type "${type}".`,
    hint: () => didYouMean(type, suggested) ?? `The types are ${known.join(', ')}.`,
  }),
);

export const agentType = problem('asl/agent-type', 'error', (type: string) => ({
  message: `Amazon States Language has no state type "${type}".`,
  hint: 'Leave the option "dialect" out, or set it to "agent".',
}));

export const missingInAmazon = problem('asl/missing-in-amazon', 'error', () => ({
  message: 'Amazon States Language has no null for paths that lead to nothing: the state fails.',
  hint: 'Leave the option "missing" out, or set the option "dialect" to "agent".',
}));

export const unknownStart = problem(
  'asl/unknown-start',
  'error',
  (name: string, known: readonly string[], elsewhere: boolean) => ({
    message: `"StartAt" names the state "${name}", which does not exist here.`,
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

const scopeHint = 'It exists elsewhere in the workflow. Name a state of this branch or iterator.';

export const unreachableState = problem('asl/unreachable-state', 'error', (name: string) => ({
  message: `No state leads to "${name}".`,
  hint: 'Name it in a "Next", "Default" or "Catch", or remove it.',
}));

export const noTerminalState = problem('asl/no-terminal-state', 'error', () => ({
  message: 'No state ends the machine, so it never completes.',
  hint: 'Write "End": true instead of "Next" in one of them, or add a state of type Succeed or Fail.',
}));

export const nextAndEnd = problem('asl/next-and-end', 'error', (name: string) => ({
  message: `The state "${name}" has both "Next" and "End": true.`,
  hint: 'Remove one of the two.',
}));

export const noNext = problem('asl/no-next', 'error', (name: string, isFalse: boolean) => ({
  message: `The state "${name}" has neither "Next" nor "End": true.`,
  hint: isFalse
    ? 'Replace "End": false, which has no effect, by "End": true or "Next".'
    : 'Add "Next" with the name of a state, or "End": true.',
}));

export const duplicateState = problem('asl/duplicate-state', 'error', (name: string) => ({
  message: `Two states have the name "${name}".`,
  hint: 'Rename one of them. Names are unique across branches and iterators.',
}));

export const longName = problem('asl/long-name', 'error', (length: number, limit: number) => ({
  message: `This name has ${length} characters. The limit is ${limit}.`,
  hint: 'Shorten it. Put the rest in "Comment".',
}));

export const emptyName = problem('asl/empty-name', 'error', () => ({
  message: 'This state has an empty name.',
  hint: 'Name it after what it does.',
}));

export const emptyList = problem('asl/empty-list', 'error', (field: string) => ({
  message: `The list "${field}" is empty. It needs at least one entry.`,
  hint: `Add an entry: "${field}": [${field === 'ErrorEquals' ? '"States.ALL"' : field === 'Options' ? '"approve", "reject"' : '{ ... }'}].`,
}));

export const unknownImport = problem(
  'asl/unknown-import',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no template "${name}" in "Imports".`,
    hint: () => didYouMean(name, known) ?? `Add "Imports": { "${name}": "./${name}.asl.json" }.`,
  }),
);

export const badImport = problem('asl/bad-import', 'error', (name: string, because: string) => ({
  message: `The template "${name}" cannot be included. ${because}`,
  hint: 'Correct the template, or the fields of this state.',
}));

export const unfilledHole = problem('asl/unfilled-hole', 'error', (hole: string) => ({
  message: `"${hole}" is never filled in: this workflow has no parameters.`,
  hint: 'Write the value, or declare the parameter in "Parameters".',
}));
