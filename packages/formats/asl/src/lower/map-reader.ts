import type { ChartNode } from '@dramaturg/compiler/chart';
import type { mapBehaviour } from '../kinds/map/behaviour.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { hasFailed, type NodeContext, stateParams } from './node-context.ts';
import { references } from './references.ts';
import type { Recovery } from './retry.ts';

const refer = references<typeof mapBehaviour & typeof stateBehaviour>();

/** The nodes that read the items of a Map, a call at a time. They lead to the node `working`. */
export function readerNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const { machine } = context;
  return {
    reading: {
      id: `${id}:reading`,
      invoke: [
        {
          id: `${id}:read`,
          src: 'runAgent',
          input: refer.input('readCall', params),
          onDone: [{ target: `#${id}:read-taken` }],
          onError: [recover.failing([refer.action('readFailed', params)])],
        },
      ],
    },
    'read-taken': {
      id: `${id}:read-taken`,
      entry: [refer.action('takeRead', params)],
      always: [
        { ...recover.failing(), guard: hasFailed(context) },
        { target: 'reading', guard: refer.guard('isReading', { machine }) },
        { target: 'working' },
      ],
    },
  };
}
