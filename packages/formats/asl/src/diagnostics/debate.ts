import { didYouMean, problem } from '@dramaturg/compiler';

export const fewAgents = problem('asl/few-agents', 'error', (count: number) => ({
  message: `A debate needs two agents or more, and this one has ${count}.`,
  hint: 'Name another in "Agents", or make it a Task.',
}));

export const unknownAgent = problem(
  'asl/unknown-agent',
  'warning',
  (name: string, known: readonly string[]) => ({
    message: `"${name}" is not an agent of this debate.`,
    hint: () => didYouMean(name, known) ?? 'Add it to "Agents".',
  }),
);
