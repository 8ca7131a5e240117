import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { hasFailed, type NodeContext, type Recovery, stateParams } from './nodes.ts';
import type { cacheBehaviour } from '../behaviour/cache.ts';
import { references } from '../behaviour/part.ts';

const refer = references<typeof cacheBehaviour>();

/**
 * Looks for an earlier answer of the agent to the same input.
 *
 * @param hit where it leads with an earlier answer
 * @param next where it leads without an earlier answer
 */
export function lookUpNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  hit: ChartTransition,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  return {
    planningCache: {
      id: `${id}:planningCache`,
      entry: [refer.action('planCache', params)],
      always: [failing, { target: `#${id}:lookingUp` }],
    },
    lookingUp: {
      id: `${id}:lookingUp`,
      invoke: [
        {
          id: `${id}:lookup`,
          src: 'recall',
          input: refer.input('cacheLookup', params),
          onDone: [{ target: `#${id}:lookedUp` }],
          onError: [{ ...next, actions: [refer.action('cacheFailed', params)] }],
        },
      ],
    },
    lookedUp: {
      id: `${id}:lookedUp`,
      entry: [refer.action('takeCached', params)],
      always: [failing, { ...hit, guard: refer.guard('isCached', { machine }) }, next],
    },
  };
}

/** Keeps the answer for the next time. */
export function keepNodes(
  id: string,
  context: NodeContext,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  return {
    caching: {
      id: `${id}:caching`,
      invoke: [
        {
          id: `${id}:keep`,
          src: 'remember',
          input: refer.input('cacheKeeping', params),
          onDone: [next],
          onError: [{ ...next, actions: [refer.action('cacheFailed', params)] }],
        },
      ],
    },
  };
}
