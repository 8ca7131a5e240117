import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { readWorkflowBudget } from '../normalise/budget.ts';
import type { sharedSpendingBehaviour } from '../behaviour/shared-spending.ts';
import type { NodeContext } from './node-context.ts';
import { references } from './references.ts';

const refer = references<typeof sharedSpendingBehaviour>();

/** Whether several runs share the budget of a workflow. */
export function isShared(budget: JsonObject | undefined): boolean {
  return readWorkflowBudget(budget)?.Shared !== undefined;
}

interface CountExits {
  readonly counted: ChartTransition;
  /** The transition when counting fails; without one, the cost is counted later. */
  readonly failed?: ChartTransition;
}

/** Has the uncounted cost counted. */
export function countingNode(
  id: string,
  { machine, root }: Pick<NodeContext, 'machine' | 'root'>,
  { counted, failed }: CountExits,
): ChartNode {
  const params = { machine, root };
  const onError = failed
    ? { ...failed, actions: [refer.action('countFailed', params), ...(failed.actions ?? [])] }
    : { ...counted, actions: [refer.action('keepUncounted', params)] };
  return {
    id,
    entry: [refer.action('beginCount', params)],
    invoke: [
      {
        id: `${id}:count`,
        src: 'countSpending',
        input: refer.input('spendingCall', params),
        onDone: [{ ...counted, actions: [refer.action('takeSpending', params)] }],
        onError: [onError],
      },
    ],
  };
}

/** The transition that first has uncounted cost counted, if there is any. */
export function throughCounting(node: string, machine: string): ChartTransition {
  return { target: node, guard: refer.guard('hasUncounted', { machine }) };
}
