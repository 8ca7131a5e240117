import { didYouMean, problem } from '@dramaturg/compiler';

export const unknownCategory = problem(
  'asl/unknown-category',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no category of tools "${name}".`,
    hint: () =>
      didYouMean(name, known) ?? `Add "ToolCategories": { "${name}": [...] } to the workflow.`,
  }),
);

export const deniedToo = problem('asl/denied-too', 'warning', (name: string) => ({
  message: `The tool "${name}" is both allowed and denied, so it is denied.`,
  hint: 'Keep it in one of the two lists.',
}));
