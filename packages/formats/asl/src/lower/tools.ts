import type { ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { references } from '../behaviour/part.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import type { toolHooksBehaviour, toolsBehaviour } from '../behaviour/tools.ts';
import type { HookName, Tools } from '../definition/tools.ts';
import { paidCall, paidEntry } from './budget.ts';
import type { Nodes, StateNodes } from './nodes.ts';

const refer = references<
  typeof toolsBehaviour & typeof toolHooksBehaviour & typeof stateBehaviour
>();

/** Where a hook leads. */
interface HookExits {
  readonly next: string;
  /** After a hook has refused a call. */
  readonly refused: string;
}

/** The nodes of a hook around the calls of tools. */
function hookNodes(name: HookName, nodes: StateNodes, { next, refused }: HookExits): Nodes {
  const { context } = nodes;
  const params = { ...nodes.params, hook: name };
  const key = hookKey(name);
  const isBefore = name === 'Before';
  const [take, fail]: [Reference, Reference] = isBefore
    ? [refer.action('takeBefore', nodes.params), refer.action('beforeFailed', nodes.params)]
    : [refer.action('takeAfter', nodes.params), refer.action('afterFailed', nodes.params)];
  const done = { target: nodes.to(`${key}Done`) };
  const calling = `${key}Calling`;
  const guard = refer.guard('isToolRefused', { machine: context.machine });
  return {
    ...nodes.step(key, refer.action('planHook', params), { target: paidEntry(nodes, calling) }),
    ...paidCall(nodes, calling, {
      name: `${key}:call`,
      src: 'runAgent',
      input: refer.input('hookCall', params),
      done: [{ ...done, actions: [take] }],
      failed: [{ ...done, actions: [fail] }],
    }),
    ...nodes.step(`${key}Done`, undefined, ...(isBefore ? [{ target: refused, guard }] : []), {
      target: next,
    }),
  };
}

function hookKey(name: HookName): string {
  return `hook${name}`;
}

/**
 * Calls the tools that an agent asks for, one after another, then asks the agent again with the results.
 *
 * @param asking where the agent is asked
 * @param next where it leads when the agent has answered
 */
export function toolNodes(
  nodes: StateNodes,
  tools: Tools,
  asking: string,
  next: ChartTransition,
): Nodes {
  const { params } = nodes;
  const { machine } = nodes.context;
  const choosing = nodes.to('choosingTool');
  const { hooks } = tools;
  const around = (name: HookName, otherwise: string) =>
    hooks[name] ? nodes.to(hookKey(name)) : otherwise;
  const nodesOf = (name: HookName, done: string) =>
    hooks[name] ? hookNodes(name, nodes, { next: done, refused: choosing }) : {};
  const failed: ChartTransition[] = [
    { target: around('OnError', choosing), actions: [refer.action('toolFailed', params)] },
  ];
  const isLimited = Object.values(tools.limits).some(({ concurrent }) => concurrent !== undefined);
  const overLimit = {
    ...nodes.failing(refer.action('taskFailed', params)),
    guard: refer.guard('isOverConcurrency', params),
  };
  const call = nodes.invoke({
    name: 'tool',
    src: 'callTool',
    input: refer.input('toolCall', params),
    done: 'toolDone',
    failed: isLimited ? [overLimit, ...failed] : failed,
  });
  const timeout = nodes.invoke({
    name: 'toolTimeout',
    src: 'timer',
    input: refer.input('toolTimer', params),
    done: failed,
  });
  return {
    ...nodes.step(
      'reading',
      refer.action('takeToolCalls', params),
      { target: choosing, guard: refer.guard('hasAskedForTools', { machine }) },
      next,
    ),
    ...nodes.step(
      'choosingTool',
      refer.action('nextTool', params),
      { target: nodes.to('toolWaiting'), guard: refer.guard('mustToolWait', { machine }) },
      {
        target: around('Before', nodes.to('usingTool')),
        guard: refer.guard('hasWantedTool', { machine }),
      },
      { target: asking },
    ),
    ...nodes.call('toolWaiting', {
      name: 'toolPause',
      src: 'timer',
      input: refer.input('toolPause', params),
      done: 'choosingTool',
    }),
    usingTool: {
      id: `${nodes.id}:usingTool`,
      invoke: tools.timeout === undefined ? [call] : [call, timeout],
    },
    ...nodes.step('toolDone', refer.action('takeToolResult', params), {
      target: around('After', choosing),
    }),
    ...nodesOf('Before', nodes.to('usingTool')),
    ...nodesOf('After', choosing),
    ...nodesOf('OnError', choosing),
  };
}
