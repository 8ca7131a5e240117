import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

const { error, info, warning } = problemsOf('asl');

/** A field that this part of a workflow cannot have. */
export const unsupportedField = error(
  'unsupported-field',
  (field: string, owner: string, hint: string = 'Remove it, or move it to "Comment".') => ({
    message: `${owner} has no field "${field}".`,
    hint,
  }),
);

export const agentField = error('agent-field', (field: string) => ({
  message: `"${field}" is a field of Agent State Language only, and this is Amazon States Language.`,
  hint: 'Remove it, or set the option "dialect" to "agent".',
}));

/** A warning only, because Agent State Language is still growing. */
export const unknownField = warning(
  'unknown-field',
  (field: string, owner: string, hint: string | undefined) => ({
    message: `${owner} has no field "${field}". It has no effect.`,
    hint,
  }),
);

export const wrongQueryLanguage = error(
  'wrong-query-language',
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

export const languageFixed = error('language-fixed', () => ({
  message: 'A state of a JSONata workflow cannot use JSONPath.',
  hint: 'Set "QueryLanguage" to "JSONPath" in the workflow and to "JSONata" in the states that use it.',
}));

export const conflictingFields = error('conflicting-fields', (field: string, earlier: string) => ({
  message: `"${field}" and "${earlier}" set the same thing.`,
  hint: 'Remove one of the two.',
}));

export const missingField = error('missing-field', (owner: string, fields: readonly string[]) => ({
  message: `${owner} needs ${fields.map((field) => `"${field}"`).join(' or ')}.`,
}));

/** A field that limits or protects something, and does not. */
export const notEnforced = warning('not-enforced', (field: string, because: string) => ({
  message: `"${field}" is not enforced: ${because}.`,
  hint: 'Enforce it where the work is done, and remove the field if nobody does.',
}));

export const carriedOnly = info('carried-only', (field: string) => ({
  message: `"${field}" has no effect yet.`,
}));

export const noStates = error('no-states', () => ({
  message: '"States" is empty.',
  hint: 'Add a state, and name it in "StartAt".',
}));

export const bareStates = error('bare-states', (first: string) => ({
  message: 'These are states without a workflow around them, so nothing says which is the first.',
  hint: `Put them into a workflow: { "StartAt": ${JSON.stringify(first)}, "States": { … } }.`,
}));

export const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several workflows.',
}));

export const tooManyStates = error('too-many-states', (limit: number) => ({
  message: `The workflow has more than ${limit} states.`,
  hint: 'Split it into several workflows.',
}));

export const unknownType = error(
  'unknown-type',
  (type: string, suggested: readonly string[], known: readonly string[]) => ({
    message: `There is no state type "${type}".`,
    hint: () => didYouMean(type, suggested) ?? `The types are ${known.join(', ')}.`,
  }),
);

export const agentType = error('agent-type', (type: string) => ({
  message: `Amazon States Language has no state type "${type}".`,
  hint: 'Leave the option "dialect" out, or set it to "agent".',
}));

export const missingInAmazon = error('missing-in-amazon', () => ({
  message: 'Amazon States Language has no null for paths that lead to nothing: the state fails.',
  hint: 'Leave the option "missing" out, or set the option "dialect" to "agent".',
}));

export const unknownStart = error(
  'unknown-start',
  (name: string, known: readonly string[], elsewhere: boolean) => ({
    message: `"StartAt" names the state "${name}", which does not exist here.`,
    hint: () =>
      elsewhere
        ? scopeHint
        : (didYouMean(name, known) ?? `Name one of the states here: ${quotedList(known, 'or')}.`),
  }),
);

export const unknownTarget = error(
  'unknown-target',
  (name: string, known: readonly string[], elsewhere: boolean) => ({
    message: `There is no state "${name}" here.`,
    hint: () =>
      elsewhere
        ? scopeHint
        : (didYouMean(name, known) ?? `Name one of the states here: ${quotedList(known, 'or')}.`),
  }),
);

const scopeHint = 'It exists elsewhere in the workflow. Name a state of this branch or iterator.';

export const unreachableState = error('unreachable-state', (name: string) => ({
  message: `No state leads to "${name}".`,
  hint: 'Name it in a "Next", "Default" or "Catch", or remove it.',
}));

export const noTerminalState = error('no-terminal-state', () => ({
  message: 'No state ends the machine, so it never completes.',
  hint: 'Write "End": true instead of "Next" in one of them, or add a state of type Succeed or Fail.',
}));

export const nextAndEnd = error('next-and-end', (name: string) => ({
  message: `The state "${name}" has both "Next" and "End": true.`,
  hint: 'Remove one of the two.',
}));

export const noNext = error('no-next', (name: string, isFalse: boolean) => ({
  message: `The state "${name}" has neither "Next" nor "End": true.`,
  hint: isFalse
    ? 'Replace "End": false, which has no effect, by "End": true or "Next".'
    : 'Add "Next" with the name of a state, or "End": true.',
}));

export const duplicateState = error('duplicate-state', (name: string) => ({
  message: `Two states have the name "${name}".`,
  hint: 'Rename one of them. Names are unique across branches and iterators.',
}));

export const longName = error('long-name', (length: number, limit: number) => ({
  message: `This name has ${length} characters. The limit is ${limit}.`,
  hint: 'Shorten it. Put the rest in "Comment".',
}));

export const emptyName = error('empty-name', () => ({
  message: 'This state has an empty name.',
  hint: 'Name it after what it does.',
}));

export const emptyList = error('empty-list', (field: string) => ({
  message: `The list "${field}" is empty. It needs at least one entry.`,
  hint: `Add an entry: "${field}": [${field === 'ErrorEquals' ? '"States.ALL"' : field === 'Options' ? '"approve", "reject"' : '{ ... }'}].`,
}));

export const unknownImport = error('unknown-import', (name: string, known: readonly string[]) => ({
  message: `There is no template "${name}" in "Imports".`,
  hint: () => didYouMean(name, known) ?? `Add "Imports": { "${name}": "./${name}.asl.json" }.`,
}));

export const badImport = error('bad-import', (name: string, because: string) => ({
  message: `The template "${name}" cannot be included. ${because}`,
  hint: 'Correct the template, or the fields of this state.',
}));

export const unfilledHole = error('unfilled-hole', (hole: string) => ({
  message: `"${hole}" is never filled in: this workflow has no parameters.`,
  hint: 'Write the value, or declare the parameter in "Parameters".',
}));

export const barePlaceholder = warning('bare-placeholder', (found: string, meant: string) => ({
  message: `"${found}" is not a placeholder, so it stays in the text.`,
  hint: `Write "${meant}".`,
}));
