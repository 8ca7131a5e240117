import { didYouMean, problem } from '@dramaturg/compiler';

export const badDuration = problem(
  'asl/bad-duration',
  'error',
  (written: string, orNever: boolean) => ({
    message: `"${written}" is no duration.`,
    hint: `Write a number with its unit: "30s", "15m", "24h", "7d", "2w"${orNever ? ', or "never"' : ''}.`,
  }),
);

export const fewAgents = problem('asl/few-agents', 'error', (count: number) => ({
  message: `A debate takes two agents or more, and this one has ${count}.`,
  hint: 'Name another in "Agents", or make it a Task.',
}));

export const unknownAgent = problem(
  'asl/unknown-agent',
  'warning',
  (name: string, known: readonly string[]) => ({
    message: `"${name}" takes no part in this debate.`,
    hint: () => didYouMean(name, known) ?? 'Add it to "Agents".',
  }),
);

export const unknownOption = problem(
  'asl/unknown-option',
  'warning',
  (option: string, known: readonly string[]) => ({
    message: `Nobody can decide "${option}": it is none of the options.`,
    hint: () => didYouMean(option, known) ?? `The options are ${known.join(', ')}.`,
  }),
);

export const mergedDecision = problem('asl/merged-decision', 'info', (name: string) => ({
  message: `The state "${name}" has no "ResultPath": its decision is added to its input.`,
  hint: 'Write "ResultPath": "$.review" to keep the decision apart.',
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
  hint: 'Mend the template, or what this state says of it.',
}));

export const unfilledHole = problem('asl/unfilled-hole', 'error', (hole: string) => ({
  message: `Nothing will ever fill "${hole}": this workflow has no parameters.`,
  hint: 'Write the value itself, or declare the parameter in "Parameters".',
}));
