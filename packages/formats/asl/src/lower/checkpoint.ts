import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Checkpoint } from '../definition/index.ts';
import { stateParams, failureExitOf, type NodeContext } from './node-context.ts';
import { workNode } from './stages.ts';
import type { checkpointBehaviour } from '../behaviour/checkpoint.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

const refer = references<typeof checkpointBehaviour & typeof stateBehaviour>();

/** Waits until the host has saved the run. Spec: Agent 2 §Checkpoint State */
export function checkpointNode(state: Checkpoint, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
  const failing = failureExitOf(context);
  const { target, actions = [] } = context.fail;
  return workNode(state, id, context, {
    recover: { failing: () => failing, nodes: {} },
    prepare: refer.action('prepareCheckpoint', params),
    working: {
      saving: {
        id: `${id}:saving`,
        invoke: [
          {
            id: `${id}:save`,
            src: 'saveCheckpoint',
            input: refer.input('checkpointCall', params),
            onDone: [{ target: `#${id}:finishing` }],
            onError: [{ target, actions: [refer.action('taskFailed', params), ...actions] }],
          },
        ],
      },
    },
    finish: refer.action('finishCheckpoint', params),
  });
}
