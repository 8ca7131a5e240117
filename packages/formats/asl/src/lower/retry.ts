import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { HasRecovery } from '../definition/index.ts';
import { stateParams, failureExitOf, type NodeContext, targetOf } from './node-context.ts';
import type { retryBehaviour } from '../behaviour/retry.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

const refer = references<typeof retryBehaviour & typeof stateBehaviour>();

/** How a state handles failures. Agent 8, Amazon #errors */
export interface Recovery {
  /** The transition to where failures are handled, with these actions. */
  readonly failing: (actions?: readonly Reference[]) => ChartTransition;
  /** Child nodes of the state, by their keys. */
  readonly nodes: Readonly<Record<string, ChartNode>>;
}

/** The nodes that retry and catch. In a state without retriers and catchers, a failure leaves the machine immediately. */
export function recovery(state: HasRecovery, id: string, context: NodeContext): Recovery {
  if (state.Retry.length === 0 && state.Catch.length === 0) {
    const { target } = context.fail;
    return {
      failing: (actions = []) => withActions(target, [...actions, ...(context.fail.actions ?? [])]),
      nodes: {},
    };
  }
  const params = stateParams(context, id);
  const { machine } = context;
  const retries = { target: 'pausing', guard: refer.guard('isRetrying', { machine }) };
  const catches = state.Catch.map(({ ErrorEquals: errors, Next: next, at }, way) => ({
    target: targetOf(context, next),
    guard: refer.guard('isChosenWay', { machine, way }),
    description: `catches ${errors.join(', ')}`,
    meta: { origin: at },
  }));
  const recovering: ChartNode = {
    id: `${id}:recovering`,
    entry: [refer.action('recover', params)],
    always: [...(state.Retry.length > 0 ? [retries] : []), ...catches, failureExitOf(context)],
  };
  const pausing: ChartNode = {
    id: `${id}:pausing`,
    invoke: [
      {
        id: `${id}:pause`,
        src: 'timer',
        input: refer.input('waitTimer', params),
        onDone: [{ target: 'preparing' }],
        onError: [{ target: 'preparing' }],
      },
    ],
  };
  return {
    failing: (actions = []) => withActions(`#${id}:recovering`, actions),
    nodes: { recovering, ...(state.Retry.length > 0 && { pausing }) },
  };
}

function withActions(target: string, actions: readonly Reference[]): ChartTransition {
  return actions.length > 0 ? { target, actions } : { target };
}
