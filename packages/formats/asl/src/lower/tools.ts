import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { HookName, Tools } from '../definition/tools.ts';
import { stateParams, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';
import type { toolsBehaviour } from '../behaviour/tools.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';
import { hookKey, hookNodes } from './tool-hooks.ts';

const refer = references<typeof toolsBehaviour & typeof stateBehaviour>();

/**
 * Calls the tools that an agent asks for, one after another, then asks the agent again with the results.
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
  const params = stateParams(context, id);
  const { machine } = context;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const choosing = `#${id}:choosingTool`;
  const { hooks } = tools;
  const around = (name: HookName, otherwise: string) =>
    hooks[name] ? `#${id}:${hookKey(name)}` : otherwise;
  const nodesOf = (name: HookName, done: string) =>
    hooks[name] ? hookNodes(name, id, context, recover, { next: done, refused: choosing }) : {};
  const failed: ChartTransition[] = [
    { target: around('OnError', choosing), actions: [refer.action('toolFailed', params)] },
  ];
  const isLimited = Object.values(tools.limits).some(({ concurrent }) => concurrent !== undefined);
  const call: ChartInvoke = {
    id: `${id}:tool`,
    src: 'callTool',
    input: refer.input('toolCall', params),
    onDone: [{ target: `#${id}:toolDone` }],
    onError: isLimited
      ? [
          {
            ...recover.failing([refer.action('taskFailed', params)]),
            guard: refer.guard('isOverConcurrency', params),
          },
          ...failed,
        ]
      : failed,
  };
  const timeout: ChartInvoke = {
    id: `${id}:toolTimeout`,
    src: 'timer',
    input: refer.input('toolTimer', params),
    onDone: failed,
    onError: [recover.failing([refer.action('taskFailed', params)])],
  };
  return {
    reading: {
      id: `${id}:reading`,
      entry: [refer.action('takeToolCalls', params)],
      always: [
        failing,
        { target: choosing, guard: refer.guard('hasAskedForTools', { machine }) },
        next,
      ],
    },
    choosingTool: {
      id: `${id}:choosingTool`,
      entry: [refer.action('nextTool', params)],
      always: [
        failing,
        { target: `#${id}:toolWaiting`, guard: refer.guard('mustToolWait', { machine }) },
        {
          target: around('Before', `#${id}:usingTool`),
          guard: refer.guard('hasWantedTool', { machine }),
        },
        { target: asking },
      ],
    },
    toolWaiting: {
      id: `${id}:toolWaiting`,
      invoke: [
        {
          id: `${id}:toolPause`,
          src: 'timer',
          input: refer.input('toolPause', params),
          onDone: [{ target: choosing }],
          onError: [recover.failing([refer.action('taskFailed', params)])],
        },
      ],
    },
    usingTool: {
      id: `${id}:usingTool`,
      invoke: tools.timeout === undefined ? [call] : [call, timeout],
    },
    toolDone: {
      id: `${id}:toolDone`,
      entry: [refer.action('takeToolResult', params)],
      always: [failing, { target: around('After', choosing) }],
    },
    ...nodesOf('Before', `#${id}:usingTool`),
    ...nodesOf('After', choosing),
    ...nodesOf('OnError', choosing),
  };
}
