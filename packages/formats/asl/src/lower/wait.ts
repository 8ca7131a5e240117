import type { ChartNode } from '@dramaturg/compiler';
import type { Wait } from '../definition/index.ts';
import { about, failingOf, leadOf, onwards, type NodeContext } from './node-context.ts';
import { stateMeta } from './state-meta.ts';

export function waitNode(state: Wait, id: string, context: NodeContext): ChartNode {
  const params = about(context, id);
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'prepareWait', params }],
        always: onwards(context, [{ target: 'waiting' }]),
      },
      waiting: {
        id: `${id}:waiting`,
        invoke: [
          {
            id: `${id}:timer`,
            src: 'timer',
            input: { type: 'waitTimer', params },
            onDone: [{ target: 'finishing' }],
            onError: [{ ...failingOf(context), actions: failedCall(params, context) }],
          },
        ],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishWait', params }],
        always: onwards(context, [leadOf(context, state)]),
      },
    },
    meta: stateMeta(state, context),
  };
}

/** What a failed port call leaves behind, before the failure leads out of the machine. */
function failedCall(params: { state: string; machine: string }, context: NodeContext) {
  return [{ type: 'taskFailed', params }, ...(context.fail.actions ?? [])];
}
