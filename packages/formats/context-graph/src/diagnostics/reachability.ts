import { problem, quotedList } from '@dramaturg/compiler';

export const unconditionalCycle = problem(
  'context-graph/unconditional-cycle',
  'error',
  (names: readonly string[]) => ({
    message:
      names.length === 1
        ? `The state "${names[0]}" leads back to itself, and nothing on the way can decide otherwise.`
        : `The states ${quotedList(names)} lead to each other endlessly: none of them speaks to the person or decides.`,
    hint: 'Lead out of the circle, or put a decision or an action state into it.',
  }),
);

export const internalCycle = problem('context-graph/internal-cycle', 'warning', (name: string) => ({
  message: `The decision "${name}" can lead back to itself without a word to the person.`,
  hint: 'It goes round as often as a turn allows; describe the exit that leads out so that it is chosen.',
}));

export const unreachable = problem('context-graph/unreachable', 'warning', (name: string) => ({
  message: `Nothing leads to the state "${name}".`,
  hint: 'Lead to it from another state, or remove it. It is not part of the machine.',
}));

export const deadEnd = problem('context-graph/dead-end', 'warning', (name: string) => ({
  message: `The state "${name}" has no exit conditions and is not the terminal state: the conversation never leaves it.`,
  hint: 'Add an exit condition.',
}));
