import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { ContextWindow } from '../definition/task-blocks.ts';
import { paidEntry, paidNodes } from './budget.ts';
import { hasFailed, type NodeContext, type Recovery, stateParams } from './nodes.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import type { contextWindowBehaviour } from '../behaviour/context-window.ts';
import type { memoryBehaviour } from '../kinds/memory/behaviour.ts';
import { references } from '../behaviour/part.ts';

const refer = references<
  typeof stateBehaviour & typeof contextWindowBehaviour & typeof memoryBehaviour
>();

/** Makes the input small enough: the best candidates are chosen, then an agent summarises, then the rest is cut. */
export function contextNodes(
  id: string,
  window: ContextWindow,
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const onError = [recover.failing([refer.action('taskFailed', params)])];
  const fitting = { target: `#${id}:fitting` };
  const afterRanking = window.summary ? { target: `#${id}:planningSummary` } : fitting;
  return {
    ...(window.search && {
      planningRanking: {
        id: `${id}:planningRanking`,
        entry: [refer.action('planRanking', params)],
        always: [
          failing,
          { target: `#${id}:ranking`, guard: refer.guard('needsRanking', { machine }) },
          afterRanking,
        ],
      },
      ranking: {
        id: `${id}:ranking`,
        invoke: [
          {
            id: `${id}:rank`,
            src: 'recall',
            input: refer.input('rankCall', params),
            onDone: [{ target: `#${id}:ranked` }],
            onError: [recover.failing([refer.action('memoryFailed', params)])],
          },
        ],
      },
      ranked: {
        id: `${id}:ranked`,
        entry: [refer.action('takeRanking', params)],
        always: [failing, afterRanking],
      },
    }),
    ...(window.summary && {
      planningSummary: {
        id: `${id}:planningSummary`,
        entry: [refer.action('planSummary', params)],
        always: [
          failing,
          {
            target: paidEntry(id, context, 'summarising'),
            guard: refer.guard('needsSummary', { machine }),
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
            input: refer.input('summaryCall', params),
            onDone: [{ target: `#${id}:summarised` }],
            onError,
          },
        ],
      }),
      summarised: {
        id: `${id}:summarised`,
        entry: [refer.action('takeSummary', params)],
        always: [failing, fitting],
      },
    }),
    fitting: {
      id: `${id}:fitting`,
      entry: [refer.action('fitContext', params)],
      always: [failing, next],
    },
  };
}
