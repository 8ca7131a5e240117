import type { ChartNode } from '@dramaturg/compiler';
import type { Debate } from '../definition/index.ts';
import { about, hasFailed, nextOf, type Place } from './place.ts';
import { recovery } from './recovery.ts';
import { stateMeta } from './state-meta.ts';

/** One after the other speaks, until all rounds are over and the arbiter, if there is one, has decided. */
export function debateNode(state: Debate, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  const failing = { ...recover.failing(), guard: hasFailed(place) };
  const goesOn = { target: 'speaking', guard: { type: 'debateGoesOn', params } };
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'prepareDebate', params }],
        always: [failing, { target: 'speaking' }],
      },
      speaking: {
        id: `${id}:speaking`,
        invoke: [
          {
            id: `${id}:turn`,
            src: 'runAgent',
            input: { type: 'debateCall', params },
            onDone: [{ target: 'listening' }],
            onError: [recover.failing([{ type: 'taskFailed', params }])],
          },
        ],
      },
      listening: {
        id: `${id}:listening`,
        entry: [{ type: 'takeTurn', params }],
        always: [failing, goesOn, { target: 'finishing' }],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishDebate', params }],
        always: [failing, { target: nextOf(place, state) }],
      },
      ...recover.nodes,
    },
    meta: stateMeta(state, place),
  };
}
