import type { ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { end, handOverMeta, human, restart } from '@dramaturg/conversation';
import type { Target } from '../definition.ts';
import { backNode, leavingNode, restartNode, stateNode } from '../names.ts';
import { addressOfTarget, originOf, type EnteredGraph } from './entered-graph.ts';
import { action, guard } from './references.ts';

export interface Hop {
  /** The actions before the move. */
  readonly actions?: readonly Reference[];
  /** How the move is recorded. */
  readonly follow?: 'follow' | 'followAlone' | 'followLast' | 'comeBack';
  /** The label of the move in a drawing. */
  readonly description?: string;
}

/**
 * A move to another state, if the limits of the turn allow it; otherwise the refusal is recorded. Guards receive the target as
 * `to`. Spec: docs/formats/context-graph.md#limits
 */
export function hop(
  entered: EnteredGraph,
  target: Target,
  { actions = [], follow = 'follow', description = 'then' }: Hop = {},
): ChartTransition[] {
  if (target.kind === 'other') return [leave(entered, target, { actions, description })];
  const to = addressOfTarget(entered, target);
  return [
    {
      target: `#${stateNode(to)}`,
      guard: guard('mayEnter', { to }),
      actions: [...actions, action(follow, { to })],
      description,
      meta: { origin: originOf(entered, target.at) },
    },
    refused(entered, { to, as: follow }, actions),
  ];
}

/**
 * A transition to a target that is not a state: one message hands over or says goodbye, or the graph begins again.
 *
 * @param exit the exit condition that was met
 */
export function leave(
  entered: EnteredGraph,
  { target, outcome, reason, at }: Target & { readonly kind: 'other' },
  { actions = [], ...rest }: Pick<ChartTransition, 'guard' | 'actions' | 'description'>,
  exit?: string,
): ChartTransition {
  const params = {
    ...(exit !== undefined && { exit }),
    ...(outcome !== undefined && { outcome }),
    ...(reason !== undefined && { reason }),
  };
  const own = {
    [human]: [action('handOver', params)],
    [end]: [action('leave', params)],
    [restart]: [],
  }[target]!;
  return {
    target: `#${target === restart ? restartNode : leavingNode}`,
    ...rest,
    actions: [...actions, ...own],
    meta: { origin: originOf(entered, at), ...(target === human && handOverMeta) },
  };
}

/** A move that the limits do not allow: the latest action state speaks, or the turn is void. */
export function refused(
  { options }: EnteredGraph,
  params: { readonly to?: string; readonly as?: string } = {},
  actions: readonly Reference[] = [],
): ChartTransition {
  return options.onLimit === 'error'
    ? voided(...actions, action('failAtLimit', params))
    : { target: `#${backNode}`, actions: [...actions, action('refuseMove', params)] };
}

/** The turn is void. */
export function voided(...actions: readonly Reference[]): ChartTransition {
  return { target: `#${backNode}`, actions: [...actions, action('voidTurn')] };
}
