import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

export const unknownCategory = problem(
  'asl/unknown-category',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no tool category "${name}".`,
    hint: () =>
      didYouMean(name, known) ?? `Add "ToolCategories": { "${name}": [...] } to the workflow.`,
  }),
);

export const unknownDenied = problem(
  'asl/unknown-denied',
  'warning',
  (name: string, near: string) => ({
    message: `"${name}" is denied as the name of a tool: there is no category "${name}".`,
    hint: `Did you mean "${near}"?`,
  }),
);

export const deniedToo = problem('asl/denied-too', 'warning', (name: string) => ({
  message: `The tool "${name}" is both allowed and denied. It is denied.`,
  hint: 'Remove it from one of the two lists.',
}));
