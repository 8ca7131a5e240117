import type { Chart, ChartNode } from '@dramaturg/compiler';
import type { Machine, MapState } from '../definition/index.ts';
import { about, type Place, type Shared } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';

type MachineChart = Omit<Chart, 'chart' | 'format' | 'context'>;

/** A supervisor runs an actor for every item. */
export function mapNode(
  state: MapState,
  id: string,
  place: Place,
  chartOf: (machine: Machine, id: string, shared: Shared) => MachineChart,
): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  const supervisor = `${id}:items`;
  const item = `${id}:item`;
  return workNode(state, id, place, {
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
              ...chartOf(state.ItemProcessor!, item, {
                ...place,
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
