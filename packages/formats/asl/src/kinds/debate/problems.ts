import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

export const fewAgents = problem('asl/few-agents', 'error', (count: number) => ({
  message: `This debate has ${count === 1 ? 'only one agent' : 'no agents'}. It needs two or more.`,
  hint: 'Add another to "Agents", or use a Task.',
}));

export const unknownAgent = problem(
  'asl/unknown-agent',
  'warning',
  (name: string, known: readonly string[]) => ({
    message: `"${name}" is not an agent of this debate.`,
    hint: () => didYouMean(name, known) ?? 'Add it to "Agents".',
  }),
);
