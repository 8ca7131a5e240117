import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Tools } from '../definition/tools.ts';
import { about, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';

/**
 * The tools that an agent asks for, one after another; then the agent is asked again, with what came of them.
 *
 * @param asking where the agent is asked
 * @param next where it leads when the agent has answered
 */
export function toolNodes(
  id: string,
  tools: Tools,
  context: NodeContext,
  recover: Recovery,
  asking: string,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const params = about(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const choosing = `#${id}:choosingTool`;
  const failed: ChartTransition[] = [
    { target: choosing, actions: [{ type: 'toolFailed', params }] },
  ];
  const call: ChartInvoke = {
    id: `${id}:tool`,
    src: 'callTool',
    input: { type: 'toolCall', params },
    onDone: [{ target: `#${id}:toolDone` }],
    onError: failed,
  };
  const timeout: ChartInvoke = {
    id: `${id}:toolTimeout`,
    src: 'timer',
    input: { type: 'toolTimer', params },
    onDone: failed,
    onError: [recover.failing([{ type: 'taskFailed', params }])],
  };
  return {
    reading: {
      id: `${id}:reading`,
      entry: [{ type: 'takeToolCalls', params }],
      always: [
        failing,
        { target: choosing, guard: { type: 'hasAskedForTools', params: { machine } } },
        next,
      ],
    },
    choosingTool: {
      id: `${id}:choosingTool`,
      entry: [{ type: 'nextTool', params }],
      always: [
        failing,
        { target: `#${id}:toolWaiting`, guard: { type: 'mustToolWait', params: { machine } } },
        { target: `#${id}:usingTool`, guard: { type: 'hasWantedTool', params: { machine } } },
        { target: asking },
      ],
    },
    toolWaiting: {
      id: `${id}:toolWaiting`,
      invoke: [
        {
          id: `${id}:toolPause`,
          src: 'timer',
          input: { type: 'toolPause', params },
          onDone: [{ target: choosing }],
          onError: [recover.failing([{ type: 'taskFailed', params }])],
        },
      ],
    },
    usingTool: {
      id: `${id}:usingTool`,
      invoke: tools.timeout === undefined ? [call] : [call, timeout],
    },
    toolDone: {
      id: `${id}:toolDone`,
      entry: [{ type: 'takeToolResult', params }],
      always: [failing, { target: choosing }],
    },
  };
}
