import type { ChartNode, Reference } from '@dramaturg/compiler';
import type { Leads, State } from '../definition/index.ts';
import { hasFailed, leadOf, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';
import { stateMeta } from './state-meta.ts';

/** A state that has somebody else work for it. */
interface Work {
  readonly recover: Recovery;
  /** Gets ready what is asked, on entering and for every retry. */
  readonly prepare: Reference;
  /** Where the state waits, by its keys: the first is where it begins. */
  readonly working: Readonly<Record<string, ChartNode>>;
  /** Works out what the state hands on. */
  readonly finish: Reference;
}

/** Prepares, works, finishes; what goes wrong on the way is dealt with by `recover`. */
export function workNode(
  state: State & Leads,
  id: string,
  context: NodeContext,
  { recover, prepare, working, finish }: Work,
): ChartNode {
  const failing = { ...recover.failing(), guard: hasFailed(context) };
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
        always: [failing, leadOf(context, state)],
      },
      ...recover.nodes,
    },
    meta: stateMeta(state, context),
  };
}
