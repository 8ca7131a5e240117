import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

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

export const fewApprovers = problem(
  'asl/few-approvers',
  'warning',
  (people: readonly string[], required: number) => ({
    message:
      people.length === 0
        ? 'Nobody may decide this approval: its policy has no approvers.'
        : `This approval needs ${required} approvals, and only ${people.length} ${people.length === 1 ? 'person' : 'people'} may give one.`,
    hint:
      people.length === 0
        ? 'Name people or roles in "Approvers", or remove it: then anyone may decide.'
        : `After ${people.join(' and ')}, nobody is left for another approval. Add people or roles to "Approvers", or lower "RequiredApprovals".`,
  }),
);
