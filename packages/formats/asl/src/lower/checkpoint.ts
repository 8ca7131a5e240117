import type { ChartNode } from '@dramaturg/compiler';
import type { Checkpoint } from '../definition/index.ts';
import { about, failingOf, type Place } from './node-context.ts';
import { workNode } from './stages.ts';

/** A place to rest: whoever runs the workflow keeps it as it is there. Spec: Agent 2 §Checkpoint State */
export function checkpointNode(state: Checkpoint, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const failing = failingOf(place);
  const { target, actions = [] } = place.fail;
  return workNode(state, id, place, {
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
