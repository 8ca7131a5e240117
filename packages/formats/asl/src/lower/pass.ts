import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Pass } from '../definition/index.ts';
import { writeNodes } from './memory.ts';
import {
  stateParams,
  failureExitOf,
  leadOf,
  type NodeContext,
  withFailureExit,
} from './node-context.ts';
import type { Recovery } from './retry.ts';
import { stateMeta } from './state-meta.ts';
import type { passBehaviour } from '../behaviour/pass.ts';
import { references } from './references.ts';

const refer = references<typeof passBehaviour>();

export function passNode(state: Pass, id: string, context: NodeContext): ChartNode {
  if (isRemembering(state)) return rememberingPass(state, id, context);
  return {
    id,
    entry: [refer.action('pass', stateParams(context, id))],
    always: withFailureExit(context, [leadOf(context, state)]),
    meta: stateMeta(state, context),
  };
}

/** Only JSONPath states write to memory. */
function isRemembering({ Memory: memory, QueryLanguage: language }: Pass): boolean {
  return memory !== undefined && memory.writes.length > 0 && language === 'JSONPath';
}

/** A Pass that writes to memory waits for the calls. Tutorial 6 */
function rememberingPass(state: Pass, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
  const recover: Recovery = {
    failing: (actions = []) => ({
      ...failureExitOf(context),
      actions: [...actions, ...(context.fail.actions ?? [])],
    }),
    nodes: {},
  };
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [refer.action('preparePass', params)],
        always: withFailureExit(context, [{ target: 'planningWrites' }]),
      },
      ...writeNodes(id, context, recover, { target: `#${id}:finishing` }),
      finishing: {
        id: `${id}:finishing`,
        entry: [refer.action('finishTask', params)],
        always: withFailureExit(context, [leadOf(context, state)]),
      },
    },
    meta: stateMeta(state, context),
  };
}
