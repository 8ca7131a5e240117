import type { ChartNode } from '@dramaturg/compiler';
import type { MapState } from '../definition/index.ts';
import { about, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';

/** A supervisor runs an actor for every item. */
export function mapNode(state: MapState, id: string, context: NodeContext): ChartNode {
  const params = about(context, id);
  const recover = recovery(state, id, context);
  const supervisor = `${id}:items`;
  const item = `${id}:item`;
  return workNode(state, id, context, {
    recover,
    prepare: { type: 'prepareMap', params },
    working: {
      working: {
        id: `${id}:working`,
        invoke: [
          {
            id: supervisor,
            src: 'each',
            chart: {
              chart: 1,
              format: 'asl',
              context: { type: 'startItem', params: { machine: item } },
              // What an item does is no part of what the workflow tells of itself.
              ...context.chartOf(state.ItemProcessor!, item, {
                ...context,
                share: undefined,
                within: undefined,
              }),
            },
            input: { type: 'mapItems', params },
            onDone: [{ target: `#${id}:finishing` }],
            onError: [recover.failing([{ type: 'taskFailed', params }])],
          },
        ],
        // The tokens of tasks that are done for an item come to the workflow as a whole.
        on: { 'task.*': [{ actions: [{ type: 'forwardToItem', params: { to: supervisor } }] }] },
      },
    },
    finish: { type: 'finishMap', params },
  });
}
