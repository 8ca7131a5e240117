import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import { about, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';

/** Looks up what the agent is told, before it is asked. */
export function readNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  const failing = { ...recover.failing(), guard: hasFailed(context) };
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
  context: NodeContext,
  recover: Recovery,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
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
