import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { references } from '../behaviour/part.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import type { toolHooksBehaviour, toolsBehaviour } from '../behaviour/tools.ts';
import type { HookName, Tools } from '../definition/tools.ts';
import { paidEntry, paidNodes } from './budget.ts';
import { hasFailed, type NodeContext, type Recovery, stateParams } from './nodes.ts';

/** Where a hook leads. */
interface HookExits {
  readonly next: string;
  /** After a hook has refused a call. */
  readonly refused: string;
}

/** The nodes of a hook around the calls of tools. */
export function hookNodes(
  name: HookName,
  id: string,
  context: NodeContext,
  recover: Recovery,
  { next, refused }: HookExits,
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const key = hookKey(name);
  const isBefore = name === 'Before';
  const [take, fail]: [Reference, Reference] = isBefore
    ? [refer.action('takeBefore', params), refer.action('beforeFailed', params)]
    : [refer.action('takeAfter', params), refer.action('afterFailed', params)];
  const done = { target: `#${id}:${key}Done` };
  const calling = `${key}Calling`;
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const call: ChartNode = {
    id: `${id}:${calling}`,
    invoke: [
      {
        id: `${id}:${key}:call`,
        src: 'runAgent',
        input: refer.input('hookCall', { ...params, hook: name }),
        onDone: [{ ...done, actions: [take] }],
        onError: [{ ...done, actions: [fail] }],
      },
    ],
  };
  return {
    [key]: {
      id: `${id}:${key}`,
      entry: [refer.action('planHook', { ...params, hook: name })],
      always: [failing, { target: paidEntry(id, context, calling) }],
    },
    ...paidNodes(id, context, recover, calling, call),
    [`${key}Done`]: {
      id: `${id}:${key}Done`,
      always: [
        failing,
        ...(isBefore
          ? [{ target: refused, guard: refer.guard('isToolRefused', { machine: context.machine }) }]
          : []),
        { target: next },
      ],
    },
  };
}

export function hookKey(name: HookName): string {
  return `hook${name}`;
}

const refer = references<
  typeof toolsBehaviour & typeof toolHooksBehaviour & typeof stateBehaviour
>();

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
