import { didYouMean, problem } from '@dramaturg/compiler';

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
