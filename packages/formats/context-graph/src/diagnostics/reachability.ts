import { problemsOf } from '@dramaturg/compiler/format';
import { quotedList } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('context-graph');

export const unconditionalCycle = error('unconditional-cycle', (names: readonly string[]) => ({
  message:
    names.length === 1
      ? `The state "${names[0]}" always leads back to itself.`
      : `The states ${quotedList(names)} lead to each other endlessly: none of them speaks to the person or decides.`,
  hint: 'Lead out of the cycle, or put a decision or an action state into it.',
}));

export const internalCycle = warning('internal-cycle', (name: string) => ({
  message: `The decision "${name}" can lead back to itself without asking the person.`,
  hint: 'Describe the exit that leads out clearly. The cycle repeats until it is chosen or the limit of the turn is reached.',
}));

export const unreachable = warning('unreachable', (name: string) => ({
  message: `No path leads to the state "${name}".`,
  hint: 'Add an exit that leads to it, or remove it. It is not part of the machine.',
}));

export const deadEnd = warning('dead-end', (name: string) => ({
  message: `The state "${name}" has no exit conditions and is not the terminal state: the conversation never leaves it.`,
  hint: 'Add an exit condition.',
}));
