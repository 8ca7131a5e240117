import { didYouMean, problem } from '@dramaturg/compiler';

export const unknownOption = problem(
  'asl/unknown-option',
  'warning',
  (option: string, known: readonly string[]) => ({
    message: `"${option}" is not an option of this approval.`,
    hint: () => didYouMean(option, known) ?? `The options are ${known.join(', ')}.`,
  }),
);

export const mergedDecision = problem('asl/merged-decision', 'info', (name: string) => ({
  message: `The approval "${name}" has no "ResultPath", so its decision is added to its input.`,
  hint: 'To keep the decision apart, add "ResultPath": "$.review".',
}));
