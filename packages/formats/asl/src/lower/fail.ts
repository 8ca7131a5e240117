import type { ChartNode } from '@dramaturg/compiler';
import type { Fail } from '../definition/index.ts';
import { about, failingOf, type NodeContext } from './node-context.ts';
import { stateMeta } from './state-meta.ts';

export function failNode(state: Fail, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [{ type: 'fail', params: about(context, id) }],
    always: [failingOf(context)],
    meta: stateMeta(state, context),
  };
}
