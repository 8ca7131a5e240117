import type { ChartNode, Reference } from '@dramaturg/compiler/chart';
import type { HasNext, State } from '../definition/index.ts';
import { hasFailed, leadOf, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';
import { countingNode, isShared, throughCounting } from './shared-budget.ts';
import { stateMeta } from './state-meta.ts';

/** A state whose work is a call or other states. */
interface Work {
  readonly recover: Recovery;
  /** Prepares the work, on entering and for every retry. */
  readonly prepare: Reference;
  /** The nodes in which the state waits, by their keys; the first is the initial one. */
  readonly working: Readonly<Record<string, ChartNode>>;
  /** Computes the output. */
  readonly finish: Reference;
}

/** A node with three stages: it prepares, works and finishes. `recover` handles failures. */
export function workNode(
  state: State & HasNext,
  id: string,
  context: NodeContext,
  { recover, prepare, working, finish }: Work,
): ChartNode {
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const lead = leadOf(context, state);
  const counts = isShared(context.budget);
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [prepare],
        always: [failing, { target: Object.keys(working)[0]! }],
      },
      ...working,
      finishing: {
        id: `${id}:finishing`,
        entry: [finish],
        always: [
          failing,
          ...(counts ? [throughCounting(`#${id}:settling`, context.machine)] : []),
          lead,
        ],
      },
      ...(counts && { settling: countingNode(`${id}:settling`, context, { counted: lead }) }),
      ...recover.nodes,
    },
    meta: stateMeta(state, context),
  };
}
