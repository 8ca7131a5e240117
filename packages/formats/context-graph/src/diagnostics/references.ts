import { didYouMean, problem } from '@dramaturg/compiler';

export const unknownReference = problem(
  'context-graph/unknown-reference',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `"references" has no graph "${name}".`,
    hint: () => didYouMean(name, known) ?? `Add it: "references": { "${name}": [id, version] }.`,
  }),
);

export const referenceNotGiven = problem(
  'context-graph/reference-not-given',
  'error',
  (name: string, id: string, version: number, others: readonly string[]) => ({
    message: `The graph "${name}" (${id}, version ${version}) is not given.`,
    hint:
      others.length > 0
        ? `Given is ${others.map((key) => `"${key}"`).join(', ')}.`
        : `Pass it with the option "graphs": { "${name}": { ... } }.`,
  }),
);

export const referenceCycle = problem('context-graph/reference-cycle', 'error', (name: string) => ({
  message: `The graph "${name}" leads back to a graph that it is entered from.`,
  hint: 'A graph can only refer to graphs that do not refer to it.',
}));

export const brokenReference = problem(
  'context-graph/broken-reference',
  'error',
  (name: string, errors: number, first: string) => ({
    message: `The graph "${name}" has ${errors === 1 ? 'an error' : `${errors} errors`}: ${first}`,
    hint: 'Check that graph by itself.',
  }),
);

export const tooLarge = problem(
  'context-graph/too-large',
  'error',
  (what: 'states' | 'levels', limit: number) => ({
    message: `With every referenced graph entered where it is called, this graph has more than ${limit} ${what}.`,
    hint: 'Call a graph from fewer places, or put what they share into one state before the call.',
  }),
);
