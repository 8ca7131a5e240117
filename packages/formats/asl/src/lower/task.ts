import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Task } from '../definition/index.ts';
import { completionOf } from '../flow/task.ts';
import { about, type About, type Place } from './node-context.ts';
import { recovery, type Recovery } from './retry.ts';
import { workNode } from './stages.ts';

export function taskNode(state: Task, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  return workNode(state, id, place, {
    recover,
    prepare: { type: 'prepareTask', params },
    working: { working: workingNode(state, id, params, recover) },
    finish: { type: 'finishTask', params },
  });
}

/** The call, and as long as it is out whatever limits it. */
function workingNode(state: Task, id: string, params: About, recover: Recovery): ChartNode {
  const completion = completionOf(state);
  const done: ChartTransition = { target: `#${id}:finishing` };
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: { type: 'taskCall', params },
    // Whoever has the token answers; the call has only handed it over.
    onDone: completion === 'token' ? [] : [done],
    onError: [recover.failing([{ type: 'taskFailed', params }])],
  };
  const timeout = timer(`${id}:timeout`, 'timeoutTimer', 'timeOut', params, recover);
  const node = {
    id: `${id}:working`,
    invoke: [
      ...(completion === 'activity' ? [] : [call]),
      ...(state.TimeoutSeconds ? [timeout] : []),
    ],
    ...(completion !== 'answer' && { on: tokenEvents(done, params, recover) }),
  };
  return state.HeartbeatSeconds ? { ...node, ...listening(id, params, recover) } : node;
}

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
      ...(state.Calling?.fallbackModel === undefined ? [] : [fallback]),
      recover.failing([{ type: 'taskFailed', params }]),
    ],
  };
  const node = { id: `${id}:calling`, invoke: [call] };
  return state.HeartbeatSeconds ? { ...node, ...listening(id, params, recover) } : node;
}

/** A node of its own, so that a heartbeat sets its timer anew and touches nothing else. */
function listening(id: string, params: About, recover: Recovery): Partial<ChartNode> {
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

function tokenEvents(done: ChartTransition, params: About, recover: Recovery) {
  const guard = { type: 'hasMatchingToken', params };
  return {
    'task.succeeded': [{ ...done, guard }],
    'task.failed': [{ ...recover.failing([{ type: 'tokenFailed', params }]), guard }],
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
