import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { hasFailed, type NodeContext, type Recovery, stateParams } from '../../lower/nodes.ts';
import { references } from '../../behaviour/part.ts';
import type { memoryBehaviour } from './behaviour.ts';

const refer = references<typeof memoryBehaviour>();

/** Reads memories before the agent is asked. */
export function readNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  return {
    planningRead: {
      id: `${id}:planningRead`,
      entry: [refer.action('planRead', params)],
      always: [failing, { target: `#${id}:recalling` }],
    },
    recalling: {
      id: `${id}:recalling`,
      invoke: [
        {
          id: `${id}:recall`,
          src: 'recall',
          input: refer.input('recallCall', params),
          onDone: [{ target: `#${id}:recalled` }],
          onError: [recover.failing([refer.action('memoryFailed', params)])],
        },
      ],
    },
    recalled: {
      id: `${id}:recalled`,
      entry: [refer.action('takeMemories', params)],
      always: [failing, next],
    },
  };
}

/** Writes the outcome of the state to memory, one write after the other. */
export function writeNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const more = { target: `#${id}:remembering`, guard: refer.guard('hasWrites', { machine }) };
  return {
    planningWrites: {
      id: `${id}:planningWrites`,
      entry: [refer.action('planWrites', params)],
      always: [failing, more, next],
    },
    remembering: {
      id: `${id}:remembering`,
      invoke: [
        {
          id: `${id}:remember`,
          src: 'remember',
          input: refer.input('rememberCall', params),
          onDone: [{ target: `#${id}:remembered` }],
          onError: [recover.failing([refer.action('memoryFailed', params)])],
        },
      ],
    },
    remembered: {
      id: `${id}:remembered`,
      entry: [refer.action('finishWrite', params)],
      always: [more, next],
    },
  };
}
