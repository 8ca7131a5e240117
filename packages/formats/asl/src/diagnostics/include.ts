import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

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
