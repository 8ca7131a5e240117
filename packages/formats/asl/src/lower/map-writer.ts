import type { ChartNode } from '@dramaturg/compiler/chart';
import type { mapBehaviour } from '../kinds/map/behaviour.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { type NodeContext, stateParams } from './node-context.ts';
import { references } from './references.ts';
import type { Recovery } from './retry.ts';

const refer = references<typeof mapBehaviour & typeof stateBehaviour>();

/** The nodes that write the results of a Map, a file at a time. They lead to the node `finishing`. */
export function writerNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const { machine } = context;
  return {
    'results-taken': {
      id: `${id}:results-taken`,
      entry: [refer.action('takeResults', params)],
      always: [{ target: 'writing' }],
    },
    writing: {
      id: `${id}:writing`,
      invoke: [
        {
          id: `${id}:write`,
          src: 'runAgent',
          input: refer.input('writeCall', params),
          onDone: [{ target: `#${id}:written` }],
          onError: [recover.failing([refer.action('writeFailed', params)])],
        },
      ],
    },
    written: {
      id: `${id}:written`,
      entry: [refer.action('noteWritten', params)],
      always: [
        { target: 'writing', guard: refer.guard('isWriting', { machine }) },
        { target: 'finishing' },
      ],
    },
  };
}
