import type { ChartTransition } from '@dramaturg/compiler/chart';
import { references } from '../../behaviour/part.ts';
import type { Nodes, StateNodes } from '../../lower/nodes.ts';
import type { memoryBehaviour } from './behaviour.ts';

const refer = references<typeof memoryBehaviour>();

/** Reads memories before the agent is asked. */
export function readNodes(nodes: StateNodes, next: ChartTransition): Nodes {
  const { params } = nodes;
  return {
    ...nodes.step('planningRead', refer.action('planRead', params), {
      target: nodes.to('recalling'),
    }),
    ...nodes.call('recalling', {
      name: 'recall',
      src: 'recall',
      input: refer.input('recallCall', params),
      done: 'recalled',
      failed: refer.action('memoryFailed', params),
    }),
    ...nodes.step('recalled', refer.action('takeMemories', params), next),
  };
}

/** Writes the outcome of the state to memory, one write after the other. */
export function writeNodes(nodes: StateNodes, next: ChartTransition): Nodes {
  const { params, id } = nodes;
  const { machine } = nodes.context;
  const more = { target: nodes.to('remembering'), guard: refer.guard('hasWrites', { machine }) };
  return {
    ...nodes.step('planningWrites', refer.action('planWrites', params), more, next),
    ...nodes.call('remembering', {
      name: 'remember',
      src: 'remember',
      input: refer.input('rememberCall', params),
      done: 'remembered',
      failed: refer.action('memoryFailed', params),
    }),
    remembered: {
      id: `${id}:remembered`,
      entry: [refer.action('finishWrite', params)],
      always: [more, next],
    },
  };
}
