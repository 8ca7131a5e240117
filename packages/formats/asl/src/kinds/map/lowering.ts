import type { ChartNode } from '@dramaturg/compiler/chart';
import type { stateBehaviour } from '../../behaviour/state.ts';
import type { workflowBehaviour } from '../../behaviour/workflow.ts';
import type { MapState } from '../../definition/index.ts';
import { readerNodes } from '../../lower/map-reader.ts';
import { writerNodes } from '../../lower/map-writer.ts';
import { stateParams, type NodeContext } from '../../lower/node-context.ts';
import { references } from '../../lower/references.ts';
import { recovery } from '../../lower/retry.ts';
import { workNode } from '../../lower/stages.ts';
import type { mapBehaviour } from './behaviour.ts';

const refer = references<typeof mapBehaviour & typeof workflowBehaviour & typeof stateBehaviour>();

/** A supervisor runs an actor for every item. */
export function mapNode(state: MapState, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
  const recover = recovery(state, id, context);
  const supervisor = `${id}:items`;
  const item = `${id}:item`;
  const isWritten = state.ResultWriter?.Resource !== undefined;
  return workNode(state, id, context, {
    recover,
    prepare: refer.action('prepareMap', params),
    working: {
      ...(state.ItemReader && readerNodes(id, context, recover)),
      working: {
        id: `${id}:working`,
        invoke: [
          {
            id: supervisor,
            src: 'each',
            chart: {
              chart: 1,
              format: 'asl',
              context: refer.context('startItem', { machine: item }),
              // The progress of the workflow does not include the states of items.
              ...context.chartOf(state.ItemProcessor!, item, {
                ...context,
                share: undefined,
                parallel: undefined,
              }),
            },
            input: refer.input('mapItems', params),
            onDone: [{ target: `#${id}:${isWritten ? 'results-taken' : 'finishing'}` }],
            onError: [recover.failing([refer.action('taskFailed', params)])],
          },
        ],
        // Events with the tokens of an item's tasks are sent to the workflow as a whole.
        on: { 'task.*': [{ actions: [refer.action('forwardToItem', { to: supervisor })] }] },
      },
      ...(isWritten && writerNodes(id, context, recover)),
    },
    finish: refer.action('finishMap', params),
  });
}
