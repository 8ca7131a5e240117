import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Fail } from '../definition/index.ts';
import { stateParams, failureExitOf, type NodeContext } from './node-context.ts';
import { stateMeta } from './state-meta.ts';
import type { failBehaviour } from '../behaviour/fail.ts';
import { references } from './references.ts';

const refer = references<typeof failBehaviour>();

export function failNode(state: Fail, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [refer.action('fail', stateParams(context, id))],
    always: [failureExitOf(context)],
    meta: stateMeta(state, context),
  };
}
