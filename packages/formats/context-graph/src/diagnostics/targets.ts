import { problemsOf } from '@dramaturg/compiler/format';
import { otherTargetProblems } from '@dramaturg/conversation';
import { didYouMean } from '@dramaturg/compiler/text';
import type { State } from '../definition.ts';

const { error } = problemsOf('context-graph');

export const unknownTarget = error('unknown-target', (name: string, known: readonly string[]) => ({
  message: `There is no state "${name}".`,
  hint: () =>
    didYouMean(name, known) ??
    (name.includes('.')
      ? `Write a state of another graph as ["${name}", "<state to come back to>"].`
      : 'Write the name of a state of this graph.'),
}));

export const { fieldOfAnotherTarget } = otherTargetProblems('context-graph', 'next_state');

export const selfTarget = error('self-target', ({ name, type }: Pick<State, 'name' | 'type'>) => ({
  message: `The state "${name}" leads to itself.`,
  hint:
    type === 'action'
      ? 'Remove the exit: an action state stays when no exit condition holds.'
      : `Name another state: one of the type "${type}" is passed at once, so it would repeat without an end.`,
}));

export const badExternalTarget = error('bad-external-target', () => ({
  message: 'This target is not a pair of "reference.state" and the state to come back to.',
  hint: 'Write ["intake.ask_name", "next_step"].',
}));

export const unknownExternalState = error(
  'unknown-external-state',
  (name: string, reference: string, known: readonly string[]) => ({
    message: `The graph "${reference}" has no state "${name}".`,
    hint: () => didYouMean(name, known),
  }),
);

export const unknownJumpback = error(
  'unknown-jumpback',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}" to come back to.`,
    hint: () =>
      didYouMean(name, known) ?? 'Write a state of this graph as the second part of the pair.',
  }),
);
