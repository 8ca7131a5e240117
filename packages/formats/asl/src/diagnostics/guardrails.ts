import { didYouMean, problem } from '@dramaturg/compiler';

export const badPattern = problem('asl/bad-pattern', 'error', (because: string) => ({
  message: `This pattern cannot be used: ${because}.`,
  hint: 'Patterns are matched in time linear in the text, so they have no look-around and no back-references.',
}));

export const badSchema = problem('asl/bad-schema', 'error', (because: string) => ({
  message: `This JSON Schema cannot be used: ${because}.`,
}));

export const unknownPersonalData = problem(
  'asl/unknown-personal-data',
  'error',
  (kind: string, known: readonly string[]) => ({
    message: `"${kind}" is not a known kind of personal data.`,
    hint: () =>
      didYouMean(kind, known) ?? `The kinds are ${known.join(', ')}; for others use "semantic".`,
  }),
);

export const uselessAction = problem(
  'asl/useless-action',
  'error',
  (action: string, type: string) => ({
    message:
      action === 'retry'
        ? 'Input cannot be retried: only the output has a "retry".'
        : `A rule of the type "${type}" finds no places in a text, so there is nothing to ${action}.`,
    hint: 'Use "block" or "warn".',
  }),
);
