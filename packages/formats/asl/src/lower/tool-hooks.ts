import type { ChartNode, Reference } from '@dramaturg/compiler/chart';
import type { HookName } from '../definition/tools.ts';
import { paidEntry, paidNodes } from './budget.ts';
import { hasFailed, type NodeContext, stateParams } from './node-context.ts';
import type { Recovery } from './retry.ts';
import type { toolHooksBehaviour } from '../behaviour/tool-hooks.ts';
import { references } from './references.ts';

const refer = references<typeof toolHooksBehaviour>();

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
