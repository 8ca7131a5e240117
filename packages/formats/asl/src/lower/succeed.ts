import type { ChartNode } from '@dramaturg/compiler';
import type { Succeed } from '../definition/index.ts';
import { about, type NodeContext, onwards } from './node-context.ts';
import { stateMeta } from './state-meta.ts';

export function succeedNode(state: Succeed, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [{ type: 'succeed', params: about(context, id) }],
    always: onwards(context, [{ target: context.end, meta: { origin: state.at } }]),
    meta: stateMeta(state, context),
  };
}
