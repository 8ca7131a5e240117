import type { ChartTransition } from '../../chart/chart.ts';
import type { Edge, GraphNode } from '../../chart/graph.ts';
import type { Behaviour, Scope } from '../behaviour.ts';
import { actionOf } from '../effects.ts';
import { type Plan, plannedRuns } from './plan.ts';
import { type Outcome, Runner } from './run.ts';

/**
 * Fuses runs of states that need nothing from outside: a transition that leads to a transient node is replaced by one
 * for each node at which the run may come to rest. The guard of each tells whether the run ends there, and its action
 * carries out all that the run decides. The machine has the same nodes, and rests in the same of them with the same
 * context, so fused and unfused machines read each other's snapshots; what it emits is the same in the same order.
 *
 * A run is worked out from the context and the event alone, before XState leaves or enters anything. So it is fused only
 * as far as that is exact: see `plannedRuns`.
 *
 * @returns the transitions in place of each, as XState takes them
 */
export function fusedTransitions(
  nodes: readonly GraphNode[],
  behaviour: Behaviour,
  surroundings: Pick<Scope, 'meta' | 'world'>,
): ReadonlyMap<Edge, readonly object[]> {
  const runner = new Runner(behaviour, surroundings);
  const idOf = absoluteId(nodes[0]!);
  const holds = ({ guard }: ChartTransition, { context, event }: Scope) =>
    !guard ||
    behaviour.guards[guard.type]!({ context, event, ...surroundings }, guard.params ?? {});

  const fused = (plan: Plan): object[] => {
    const { transition } = plan.edge;
    let latest: Latest | undefined;
    const work = (scope: Pick<Scope, 'context' | 'event'>): Latest => {
      try {
        return { event: scope.event, outcome: runner.run(plan, scope) };
      } catch (error) {
        // Thrown by the action: XState makes an error without a code of what a guard throws.
        return { event: scope.event, error };
      }
    };
    const action = actionOf((scope) => {
      const chosen = latest && latest.event === scope.event ? latest : work(scope);
      latest = undefined;
      if (!chosen.outcome) throw chosen.error;
      return chosen.outcome;
    });
    return Array.from(plan.ends, ([end, { index, reenter }]) => {
      const endsHere = (scope: Scope): boolean => {
        // XState asks the guards of a list in order, so the first of them begins a new choice.
        if (index === 0) latest = holds(transition, scope) ? work(scope) : undefined;
        if (latest?.error !== undefined) return index === 0;
        return latest?.outcome?.end === end;
      };
      const guard = plan.ends.size > 1 ? { guard: endsHere } : {};
      return { ...transition, ...guard, target: idOf(end), reenter, actions: [action] };
    });
  };
  return new Map(Array.from(plannedRuns(nodes), ([edge, plan]) => [edge, fused(plan)]));
}

/** The latest choice among the ends of a plan, from the first guard to the action. */
interface Latest {
  readonly event: unknown;
  readonly outcome?: Outcome;
  readonly error?: unknown;
}

/** Ids that name nodes from anywhere: the keys from the root, with what XState's paths give a meaning escaped. */
function absoluteId(root: GraphNode): (node: GraphNode) => string {
  return (node) => {
    const keys: string[] = [];
    for (let at = node; at.parent !== undefined; at = at.parent) keys.push(at.key);
    return `#${[root.node.id!, ...keys.toReversed()].map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')}`;
  };
}
