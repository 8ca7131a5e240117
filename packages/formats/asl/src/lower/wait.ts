import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Wait } from '../definition/index.ts';
import {
  stateParams,
  failureExitOf,
  leadOf,
  withFailureExit,
  type NodeContext,
} from './node-context.ts';
import { stateMeta } from './state-meta.ts';
import type { waitBehaviour } from '../behaviour/wait.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

const refer = references<typeof waitBehaviour & typeof stateBehaviour>();

export function waitNode(state: Wait, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [refer.action('prepareWait', params)],
        always: withFailureExit(context, [{ target: 'waiting' }]),
      },
      waiting: {
        id: `${id}:waiting`,
        invoke: [
          {
            id: `${id}:timer`,
            src: 'timer',
            input: refer.input('waitTimer', params),
            onDone: [{ target: 'finishing' }],
            onError: [{ ...failureExitOf(context), actions: failedCall(params, context) }],
          },
        ],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [refer.action('finishWait', params)],
        always: withFailureExit(context, [leadOf(context, state)]),
      },
    },
    meta: stateMeta(state, context),
  };
}

/** The actions of a failed port call, before the failure leads out of the machine. */
function failedCall(params: { state: string; machine: string }, context: NodeContext) {
  return [refer.action('taskFailed', params), ...(context.fail.actions ?? [])];
}
