import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Task } from '../definition/index.ts';
import type { About } from './node-context.ts';
import type { Recovery } from './retry.ts';

/** The call of a task whose other limits are set around it. */
export function callNode(
  state: Task,
  id: string,
  params: About,
  recover: Recovery,
  asking: string,
): ChartNode {
  const fallback: ChartTransition = {
    target: asking,
    guard: { type: 'mayFallBack', params },
    actions: [{ type: 'fallBack', params }],
    // It may be the very node that made the call.
    reenter: true,
  };
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: { type: 'agentCall', params },
    onDone: [{ target: `#${id}:receiving` }],
    onError: [
      ...(state.Model?.fallback === undefined ? [] : [fallback]),
      recover.failing([{ type: 'taskFailed', params }]),
    ],
  };
  const node = { id: `${id}:calling`, invoke: [call] };
  return state.HeartbeatSeconds ? { ...node, ...listening(id, params, recover) } : node;
}

/** A node of its own, so that a heartbeat sets its timer anew and touches nothing else. */
export function listening(id: string, params: About, recover: Recovery): Partial<ChartNode> {
  return {
    initial: 'listening',
    states: {
      listening: {
        id: `${id}:listening`,
        invoke: [timer(`${id}:heartbeat`, 'heartbeatTimer', 'timeOutHeartbeat', params, recover)],
        on: {
          'task.heartbeat': [
            {
              target: `#${id}:listening`,
              guard: { type: 'hasMatchingToken', params },
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
  input: string,
  elapsed: string,
  params: About,
  recover: Recovery,
): ChartInvoke {
  return {
    id,
    src: 'timer',
    input: { type: input, params },
    onDone: [recover.failing([{ type: elapsed, params }])],
    onError: [recover.failing([{ type: 'taskFailed', params }])],
  };
}
