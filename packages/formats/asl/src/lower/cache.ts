import type { ChartTransition } from '@dramaturg/compiler/chart';
import type { cacheBehaviour } from '../behaviour/cache.ts';
import { references } from '../behaviour/part.ts';
import type { Nodes, StateNodes } from './nodes.ts';

const refer = references<typeof cacheBehaviour>();

/**
 * Looks for an earlier answer of the agent to the same input.
 *
 * @param hit where it leads with an earlier answer
 * @param next where it leads without an earlier answer
 */
export function lookUpNodes(nodes: StateNodes, hit: ChartTransition, next: ChartTransition): Nodes {
  const { params } = nodes;
  const { machine } = nodes.context;
  const cached = { ...hit, guard: refer.guard('isCached', { machine }) };
  return {
    ...nodes.step('planningCache', refer.action('planCache', params), {
      target: nodes.to('lookingUp'),
    }),
    ...nodes.call('lookingUp', {
      name: 'lookup',
      src: 'recall',
      input: refer.input('cacheLookup', params),
      done: 'lookedUp',
      failed: [{ ...next, actions: [refer.action('cacheFailed', params)] }],
    }),
    ...nodes.step('lookedUp', refer.action('takeCached', params), cached, next),
  };
}

/** Keeps the answer for the next time. */
export function keepNodes(nodes: StateNodes, next: ChartTransition): Nodes {
  const { params } = nodes;
  return nodes.call('caching', {
    name: 'keep',
    src: 'remember',
    input: refer.input('cacheKeeping', params),
    done: [next],
    failed: [{ ...next, actions: [refer.action('cacheFailed', params)] }],
  });
}
