import type { ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { Target } from '../definition.ts';
import { fallbackNode, stateNode, voidNode } from '../names.ts';
import { addressOfTarget, originOf, type EnteredGraph } from './entered-graph.ts';
import { action, guard } from './references.ts';

export interface Hop {
  /** A condition in addition to the limits of the state. */
  readonly guard?: 'hasNothingNew';
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
  { guard: name, actions = [], follow = 'follow', description = 'then' }: Hop = {},
): ChartTransition[] {
  const to = addressOfTarget(entered, target);
  return [
    {
      target: `#${stateNode(to)}`,
      guard: guard(name ?? 'mayEnter', { to }),
      actions: [...actions, action(follow, { to })],
      description,
      meta: { origin: originOf(entered, target.at) },
    },
    {
      ...refused(entered),
      ...(name ? { guard: guard(name) } : {}),
      actions: [...actions, action(refusal(entered), { to, as: follow })],
    },
  ];
}

/** Where a refused move leads. */
export function refused({ options }: EnteredGraph): { target: string } {
  return { target: `#${options.onLimit === 'error' ? voidNode : fallbackNode}` };
}

export function refusal({ options }: EnteredGraph): 'failAtLimit' | 'refuseMove' {
  return options.onLimit === 'error' ? 'failAtLimit' : 'refuseMove';
}
