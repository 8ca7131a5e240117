import type { ChartNode } from '@dramaturg/compiler';
import type { Wait } from '../definition/index.ts';
import { about, failingOf, leadOf, onwards, type Place } from './node-context.ts';
import { stateMeta } from './state-meta.ts';

export function waitNode(state: Wait, id: string, place: Place): ChartNode {
  const params = about(place, id);
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'prepareWait', params }],
        always: onwards(place, [{ target: 'waiting' }]),
      },
      waiting: {
        id: `${id}:waiting`,
        invoke: [
          {
            id: `${id}:timer`,
            src: 'timer',
            input: { type: 'waitTimer', params },
            onDone: [{ target: 'finishing' }],
            onError: [{ ...failingOf(place), actions: failedCall(params, place) }],
          },
        ],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishWait', params }],
        always: onwards(place, [leadOf(place, state)]),
      },
    },
    meta: stateMeta(state, place),
  };
}

/** What a failed port call leaves behind, before the failure leads out of the machine. */
function failedCall(params: { state: string; machine: string }, place: Place) {
  return [{ type: 'taskFailed', params }, ...(place.fail.actions ?? [])];
}
