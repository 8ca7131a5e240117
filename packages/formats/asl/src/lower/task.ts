import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Task } from '../definition/index.ts';
import { completionOf } from '../flow/task.ts';
import { about, type Place } from './place.ts';
import { recovery, type Recovery } from './recovery.ts';
import { workNode } from './work.ts';

interface Params {
  readonly [name: string]: string;
  readonly state: string;
  readonly machine: string;
}

export function taskNode(state: Task, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  return workNode(state, id, place, {
    recover,
    prepare: { type: 'prepareTask', params },
    working: { working: workingNode(state, id, { ...params }, recover) },
    finish: { type: 'finishTask', params },
  });
}

/** The call, and as long as it is out whatever limits it. */
function workingNode(state: Task, id: string, params: Params, recover: Recovery): ChartNode {
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
  const heartbeat = timer(`${id}:heartbeat`, 'heartbeatTimer', 'fallSilent', params, recover);
  const node = {
    id: `${id}:working`,
    invoke: [
      ...(completion === 'activity' ? [] : [call]),
      ...(state.TimeoutSeconds ? [timeout] : []),
    ],
    ...(completion !== 'answer' && { on: tokenEvents(done, params, recover) }),
  };
  if (!state.HeartbeatSeconds) return node;
  return {
    ...node,
    initial: 'listening',
    states: {
      // A node of its own, so that a heartbeat sets its timer anew and touches nothing else.
      listening: {
        id: `${id}:listening`,
        invoke: [heartbeat],
        on: {
          'task.heartbeat': [
            { target: `#${id}:listening`, guard: { type: 'isOurs', params }, reenter: true },
          ],
        },
      },
    },
  };
}

function tokenEvents(done: ChartTransition, params: Params, recover: Recovery) {
  const guard = { type: 'isOurs', params };
  return {
    'task.succeeded': [{ ...done, guard }],
    'task.failed': [{ ...recover.failing([{ type: 'tokenFailed', params }]), guard }],
  };
}

function timer(
  id: string,
  input: string,
  elapsed: string,
  params: Params,
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
