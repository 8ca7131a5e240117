import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { Task } from '../definition/index.ts';
import type { StateParams } from '../behaviour/state-at-work.ts';
import type { Recovery } from './retry.ts';
import type { taskBehaviour } from '../kinds/task/behaviour.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

const refer = references<typeof taskBehaviour & typeof stateBehaviour>();

/** The call of a task; an outer node has its time limit. */
export function callNode(
  state: Task,
  id: string,
  params: StateParams,
  recover: Recovery,
  asking: string,
): ChartNode {
  const fallback: ChartTransition = {
    target: asking,
    guard: refer.guard('mayFallBack', params),
    actions: [refer.action('fallBack', params)],
    // The target may be the node that made the call.
    reenter: true,
  };
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: refer.input('agentCall', params),
    onDone: [{ target: `#${id}:receiving` }],
    onError: [
      ...(state.Model?.fallback === undefined ? [] : [fallback]),
      recover.failing([refer.action('taskFailed', params)]),
    ],
  };
  const node = { id: `${id}:calling`, invoke: [call] };
  return state.HeartbeatSeconds ? { ...node, ...listening(id, params, recover) } : node;
}

/** A child node, so that a heartbeat restarts its timer and nothing else. */
export function listening(id: string, params: StateParams, recover: Recovery): Partial<ChartNode> {
  return {
    initial: 'listening',
    states: {
      listening: {
        id: `${id}:listening`,
        invoke: [
          timer(
            `${id}:heartbeat`,
            refer.input('heartbeatTimer', params),
            refer.action('timeOutHeartbeat', params),
            params,
            recover,
          ),
        ],
        on: {
          'task.heartbeat': [
            {
              target: `#${id}:listening`,
              guard: refer.guard('hasMatchingToken', params),
              actions: [refer.action('acceptToken', params)],
              reenter: true,
            },
          ],
        },
      },
    },
  };
}

export function timer(
  id: string,
  input: Reference,
  elapsed: Reference,
  params: StateParams,
  recover: Recovery,
): ChartInvoke {
  return {
    id,
    src: 'timer',
    input,
    onDone: [recover.failing([elapsed])],
    onError: [recover.failing([refer.action('taskFailed', params)])],
  };
}
