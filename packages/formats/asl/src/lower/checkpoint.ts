import type { ChartNode } from '@dramaturg/compiler';
import type { Checkpoint } from '../definition/index.ts';
import { about, failingOf, type NodeContext } from './node-context.ts';
import { workNode } from './stages.ts';

/** A context to rest: whoever runs the workflow keeps it as it is there. Spec: Agent 2 §Checkpoint State */
export function checkpointNode(state: Checkpoint, id: string, context: NodeContext): ChartNode {
  const params = about(context, id);
  const failing = failingOf(context);
  const { target, actions = [] } = context.fail;
  return workNode(state, id, context, {
    recover: { failing: () => failing, nodes: {} },
    prepare: { type: 'prepareCheckpoint', params },
    working: {
      saving: {
        id: `${id}:saving`,
        invoke: [
          {
            id: `${id}:save`,
            src: 'saveCheckpoint',
            input: { type: 'checkpointCall', params },
            onDone: [{ target: `#${id}:finishing` }],
            onError: [{ target, actions: [{ type: 'taskFailed', params }, ...actions] }],
          },
        ],
      },
    },
    finish: { type: 'finishCheckpoint', params },
  });
}
