import { problem } from '../diagnostic.ts';
import { DramaturgError } from '../error.ts';
import { quotedChain } from '../grammar.ts';

/** Problems of a chart of any format. The author reads them, so they use the words state and transition. */

export const unreachableState = problem('chart/unreachable-state', 'warning', (name: string) => ({
  message: `Nothing leads to the state "${name}".`,
  hint: 'Add a transition to it, or remove it.',
}));

export const deadEnd = problem('chart/dead-end', 'warning', (name: string) => ({
  message: `Nothing can happen any more once the state "${name}" is entered.`,
  hint: 'Add a transition that leaves it, or make it final.',
}));

export const shadowedTransition = problem(
  'chart/shadowed-transition',
  'warning',
  (earlier: 'has no condition' | 'has the same condition') => ({
    message: `This transition is never taken: an earlier one ${earlier}.`,
    hint: 'Move it before the earlier one, change the condition of one of them, or remove it.',
  }),
);

export const endlessLoop = problem('chart/endless-loop', 'error', (names: readonly string[]) => ({
  message: `These states lead to each other endlessly without waiting for an event: ${quotedChain([...names, names[0]!])}.`,
  hint: 'Give one of the transitions a condition, or an event to wait for.',
}));

export const chartProblems = [unreachableState, deadEnd, shadowedTransition, endlessLoop] as const;

export type ChartErrorCode = 'chart/unknown-target' | 'chart/unknown-version' | 'chart/bad-layout';

/** A value is not a valid chart. The lowering or the caller is at fault, never the author. */
export class ChartError extends DramaturgError<ChartErrorCode> {
  override readonly name = 'ChartError';
}
