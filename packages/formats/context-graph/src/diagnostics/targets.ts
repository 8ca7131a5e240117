import { didYouMean, problem } from '@dramaturg/compiler';

export const unknownTarget = problem(
  'context-graph/unknown-target',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}".`,
    hint: () =>
      didYouMean(name, known) ??
      (name.includes('.')
        ? `A state of another graph is written ["${name}", "<state to come back to>"].`
        : 'A target is the name of a state of this graph.'),
  }),
);

export const selfTarget = problem('context-graph/self-target', 'error', (name: string) => ({
  message: `The state "${name}" leads to itself.`,
  hint: 'Leave the exit out: an action state stays when no exit condition holds.',
}));

export const badExternalTarget = problem('context-graph/bad-external-target', 'error', () => ({
  message: 'This target is no pair of "reference.state" and the state to come back to.',
  hint: 'Write ["intake.ask_name", "next_step"].',
}));

export const unknownExternalState = problem(
  'context-graph/unknown-external-state',
  'error',
  (name: string, reference: string, known: readonly string[]) => ({
    message: `The graph "${reference}" has no state "${name}".`,
    hint: () => didYouMean(name, known),
  }),
);

export const unknownJumpback = problem(
  'context-graph/unknown-jumpback',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}" to come back to.`,
    hint: () => didYouMean(name, known) ?? 'The second part of the pair is a state of this graph.',
  }),
);
