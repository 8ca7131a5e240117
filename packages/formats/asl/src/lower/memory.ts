import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Pass } from '../definition/index.ts';
import { about, failingOf, hasFailed, leadOf, onwards, type Place } from './node-context.ts';
import type { Recovery } from './retry.ts';
import { stateMeta } from './state-meta.ts';

/** Looks up what the agent is told, before it is asked. */
export function readNodes(
  id: string,
  place: Place,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(place, id);
  const failing = { ...recover.failing(), guard: hasFailed(place) };
  return {
    planningRead: {
      id: `${id}:planningRead`,
      entry: [{ type: 'planRead', params }],
      always: [failing, { target: `#${id}:recalling` }],
    },
    recalling: {
      id: `${id}:recalling`,
      invoke: [
        {
          id: `${id}:recall`,
          src: 'recall',
          input: { type: 'recallCall', params },
          onDone: [{ target: `#${id}:recalled` }],
          onError: [recover.failing([{ type: 'memoryFailed', params }])],
        },
      ],
    },
    recalled: {
      id: `${id}:recalled`,
      entry: [{ type: 'takeMemories', params }],
      always: [failing, next],
    },
  };
}

/** Keeps what has come of the state, one thing after the other. */
export function writeNodes(
  id: string,
  place: Place,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(place, id);
  const { machine } = place;
  const failing = { ...recover.failing(), guard: hasFailed(place) };
  const more = { target: `#${id}:remembering`, guard: { type: 'hasWrites', params: { machine } } };
  return {
    planningWrites: {
      id: `${id}:planningWrites`,
      entry: [{ type: 'planWrites', params }],
      always: [failing, more, next],
    },
    remembering: {
      id: `${id}:remembering`,
      invoke: [
        {
          id: `${id}:remember`,
          src: 'remember',
          input: { type: 'rememberCall', params },
          onDone: [{ target: `#${id}:remembered` }],
          onError: [recover.failing([{ type: 'memoryFailed', params }])],
        },
      ],
    },
    remembered: {
      id: `${id}:remembered`,
      entry: [{ type: 'finishWrite', params }],
      always: [more, next],
    },
  };
}

/** A Pass that keeps something is one that an actor rests in. Tutorial 6 */
export function rememberingPass(state: Pass, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover: Recovery = {
    failing: (actions = []) => ({
      ...failingOf(place),
      actions: [...actions, ...(place.fail.actions ?? [])],
    }),
    nodes: {},
  };
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'preparePass', params }],
        always: onwards(place, [{ target: 'planningWrites' }]),
      },
      ...writeNodes(id, place, recover, { target: `#${id}:finishing` }),
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishTask', params }],
        always: onwards(place, [leadOf(place, state)]),
      },
    },
    meta: stateMeta(state, place),
  };
}
