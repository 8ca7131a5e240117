import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { StateParams } from '../../behaviour/state-at-work.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import type { Task } from '../../definition/index.ts';
import { stateParams, type NodeContext } from '../../lower/node-context.ts';
import { references } from '../../lower/references.ts';
import { recovery, type Recovery } from '../../lower/retry.ts';
import { workNode } from '../../lower/stages.ts';
import { listening, timer } from '../../lower/task-call.ts';
import { agentTaskNode, hasBlocks } from '../../lower/task-phases.ts';
import type { taskBehaviour } from './behaviour.ts';
import { completionOf } from './program.ts';

const refer = references<typeof taskBehaviour & typeof stateBehaviour>();

export function taskNode(state: Task, id: string, context: NodeContext): ChartNode {
  if (hasBlocks(state, context)) return agentTaskNode(state, id, context);
  const params = stateParams(context, id);
  const recover = recovery(state, id, context);
  return workNode(state, id, context, {
    recover,
    prepare: refer.action('prepareTask', params),
    working: { working: workingNode(state, id, params, recover) },
    finish: refer.action('finishTask', params),
  });
}

/** The call, and the timers that limit it. */
function workingNode(state: Task, id: string, params: StateParams, recover: Recovery): ChartNode {
  const completion = completionOf(state);
  const done: ChartTransition = { target: `#${id}:finishing` };
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: refer.input('taskCall', params),
    // The call only passes the token on. The holder of the token completes the task.
    onDone: completion === 'token' ? [] : [done],
    onError: [recover.failing([refer.action('taskFailed', params)])],
  };
  const timeout = timer(
    `${id}:timeout`,
    refer.input('timeoutTimer', params),
    refer.action('timeOut', params),
    params,
    recover,
  );
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

function tokenEvents(done: ChartTransition, params: StateParams, recover: Recovery) {
  const guard = refer.guard('hasMatchingToken', params);
  const accept = refer.action('acceptToken', params);
  return {
    'task.succeeded': [{ ...done, actions: [accept], guard }],
    // A task without "HeartbeatSeconds" does not need heartbeats, and takes them.
    'task.heartbeat': [{ actions: [accept], guard }],
    'task.failed': [{ ...recover.failing([accept, refer.action('tokenFailed', params)]), guard }],
  };
}
