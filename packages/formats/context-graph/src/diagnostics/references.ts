import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error } = problemsOf('context-graph');

export const unknownReference = error(
  'unknown-reference',
  (name: string, known: readonly string[]) => ({
    message: `"references" has no graph "${name}".`,
    hint: () => didYouMean(name, known) ?? `Add it: "references": { "${name}": [id, version] }.`,
  }),
);

export const referenceNotGiven = error(
  'reference-not-given',
  (name: string, id: string, version: number, others: readonly string[]) => ({
    message: `The graph "${name}" (${id}, version ${version}) is missing.`,
    hint:
      others.length > 0
        ? `Pass this version, or refer to one that was passed: ${others.map((key) => `"${key}"`).join(', ')}.`
        : `Pass it with the option "graphs": { "${name}": { ... } }.`,
  }),
);

export const referenceCycle = error('reference-cycle', (name: string) => ({
  message: `The graph "${name}" refers back to a graph that refers to it.`,
  hint: 'Remove one of the references of the cycle.',
}));

export const brokenReference = error(
  'broken-reference',
  (name: string, errors: number, first: string) => ({
    message: `The graph "${name}" has ${errors === 1 ? 'an error' : `${errors} errors`}: ${first}`,
    hint: 'Check that graph separately to see all its errors.',
  }),
);

export const tooLarge = error('too-large', (what: 'states' | 'levels', limit: number) => ({
  message: `With a copy of the referenced graph for every call, this graph has more than ${limit} ${what}.`,
  hint: 'Call a graph from fewer states: lead several exits to one state that makes the call.',
}));
