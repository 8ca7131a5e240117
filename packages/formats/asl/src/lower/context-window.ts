import type { ChartTransition } from '@dramaturg/compiler/chart';
import type { ContextWindow } from '../definition/task-blocks.ts';
import { paidCall, paidEntry } from './budget.ts';
import type { Nodes, StateNodes } from './nodes.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import type { contextWindowBehaviour } from '../behaviour/context-window.ts';
import type { memoryBehaviour } from '../kinds/memory/behaviour.ts';
import { references } from '../behaviour/part.ts';

const refer = references<
  typeof stateBehaviour & typeof contextWindowBehaviour & typeof memoryBehaviour
>();

/** Makes the input small enough: the best candidates are chosen, then an agent summarises, then the rest is cut. */
export function contextNodes(
  nodes: StateNodes,
  { search, summary }: ContextWindow,
  next: ChartTransition,
): Nodes {
  const { params, context } = nodes;
  const { machine } = context;
  const fitting = { target: nodes.to('fitting') };
  const afterRanking = summary ? { target: nodes.to('planningSummary') } : fitting;
  const ranking = { target: nodes.to('ranking'), guard: refer.guard('needsRanking', { machine }) };
  const summarising = {
    target: paidEntry(nodes, 'summarising'),
    guard: refer.guard('needsSummary', { machine }),
  };
  return {
    ...(search && {
      ...nodes.step('planningRanking', refer.action('planRanking', params), ranking, afterRanking),
      ...nodes.call('ranking', {
        name: 'rank',
        src: 'recall',
        input: refer.input('rankCall', params),
        done: 'ranked',
        failed: refer.action('memoryFailed', params),
      }),
      ...nodes.step('ranked', refer.action('takeRanking', params), afterRanking),
    }),
    ...(summary && {
      ...nodes.step('planningSummary', refer.action('planSummary', params), summarising, fitting),
      ...paidCall(nodes, 'summarising', {
        name: 'summary',
        src: 'runAgent',
        input: refer.input('summaryCall', params),
        done: 'summarised',
      }),
      ...nodes.step('summarised', refer.action('takeSummary', params), fitting),
    }),
    ...nodes.step('fitting', refer.action('fitContext', params), next),
  };
}
