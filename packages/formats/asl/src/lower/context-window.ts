import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { ContextWindow } from '../definition/context-window.ts';
import { paidEntry, paidNodes } from './budget.ts';
import { about, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';

/** Makes the input small enough: the best candidates are chosen, then an agent summarises, then the rest is cut. */
export function contextNodes(
  id: string,
  window: ContextWindow,
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const onError = [recover.failing([{ type: 'taskFailed', params }])];
  const fitting = { target: `#${id}:fitting` };
  const afterRanking = window.summary ? { target: `#${id}:planningSummary` } : fitting;
  return {
    ...(window.search && {
      planningRanking: {
        id: `${id}:planningRanking`,
        entry: [{ type: 'planRanking', params }],
        always: [
          failing,
          { target: `#${id}:ranking`, guard: { type: 'needsRanking', params: { machine } } },
          afterRanking,
        ],
      },
      ranking: {
        id: `${id}:ranking`,
        invoke: [
          {
            id: `${id}:rank`,
            src: 'recall',
            input: { type: 'rankCall', params },
            onDone: [{ target: `#${id}:ranked` }],
            onError: [recover.failing([{ type: 'memoryFailed', params }])],
          },
        ],
      },
      ranked: {
        id: `${id}:ranked`,
        entry: [{ type: 'takeRanking', params }],
        always: [failing, afterRanking],
      },
    }),
    ...(window.summary && {
      planningSummary: {
        id: `${id}:planningSummary`,
        entry: [{ type: 'planSummary', params }],
        always: [
          failing,
          {
            target: paidEntry(id, context, 'summarising'),
            guard: { type: 'needsSummary', params: { machine } },
          },
          fitting,
        ],
      },
      ...paidNodes(id, context, recover, 'summarising', {
        id: `${id}:summarising`,
        invoke: [
          {
            id: `${id}:summary`,
            src: 'runAgent',
            input: { type: 'summaryCall', params },
            onDone: [{ target: `#${id}:summarised` }],
            onError,
          },
        ],
      }),
      summarised: {
        id: `${id}:summarised`,
        entry: [{ type: 'takeSummary', params }],
        always: [failing, fitting],
      },
    }),
    fitting: {
      id: `${id}:fitting`,
      entry: [{ type: 'fitContext', params }],
      always: [failing, next],
    },
  };
}
