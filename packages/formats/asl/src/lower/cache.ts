import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import { about, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';

/**
 * Looks whether the agent has answered the same before.
 *
 * @param hit where it leads when it has
 * @param next where it leads when it has not
 */
export function lookUpNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  hit: ChartTransition,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  return {
    planningCache: {
      id: `${id}:planningCache`,
      entry: [{ type: 'planCache', params }],
      always: [failing, { target: `#${id}:lookingUp` }],
    },
    lookingUp: {
      id: `${id}:lookingUp`,
      invoke: [
        {
          id: `${id}:lookup`,
          src: 'recall',
          input: { type: 'cacheLookup', params },
          onDone: [{ target: `#${id}:lookedUp` }],
          onError: [{ ...next, actions: [{ type: 'cacheFailed', params }] }],
        },
      ],
    },
    lookedUp: {
      id: `${id}:lookedUp`,
      entry: [{ type: 'takeCached', params }],
      always: [failing, { ...hit, guard: { type: 'isCached', params: { machine } } }, next],
    },
  };
}

/** Keeps the answer for the next time. */
export function keepNodes(
  id: string,
  context: NodeContext,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  return {
    caching: {
      id: `${id}:caching`,
      invoke: [
        {
          id: `${id}:keep`,
          src: 'remember',
          input: { type: 'cacheKeeping', params },
          onDone: [next],
          onError: [{ ...next, actions: [{ type: 'cacheFailed', params }] }],
        },
      ],
    },
  };
}
