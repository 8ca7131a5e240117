import type { ChartNode } from '@dramaturg/compiler';
import type { Debate } from '../definition/index.ts';
import { about, hasFailed, type Place } from './place.ts';
import { recovery } from './recovery.ts';
import { workNode } from './work.ts';

/** One after the other speaks, until all rounds are over and the arbiter, if there is one, has decided. */
export function debateNode(state: Debate, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  const failing = { ...recover.failing(), guard: hasFailed(place) };
  const goesOn = { target: 'speaking', guard: { type: 'debateGoesOn', params } };
  return workNode(state, id, place, {
    recover,
    prepare: { type: 'prepareDebate', params },
    working: {
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
    },
    finish: { type: 'finishDebate', params },
  });
}
