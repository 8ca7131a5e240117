import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Succeed } from '../definition/index.ts';
import { stateParams, type NodeContext, withFailureExit } from './node-context.ts';
import { stateMeta } from './state-meta.ts';
import type { succeedBehaviour } from '../behaviour/succeed.ts';
import { references } from './references.ts';

const refer = references<typeof succeedBehaviour>();

export function succeedNode(state: Succeed, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [refer.action('succeed', stateParams(context, id))],
    always: withFailureExit(context, [{ target: context.end, meta: { origin: state.at } }]),
    meta: stateMeta(state, context),
  };
}
