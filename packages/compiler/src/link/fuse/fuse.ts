import type { Edge, GraphNode } from '../../chart/graph.ts';
import type { Scope } from '../behaviour.ts';
import { actionOf } from '../effects.ts';
import type { PlannedRun } from './plan.ts';
import { Execution, type Runner } from './run.ts';

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
  root: GraphNode,
  plans: ReadonlyMap<Edge, PlannedRun>,
  runner: Runner,
  surroundings: Pick<Scope, 'meta' | 'world'>,
): ReadonlyMap<Edge, readonly object[]> {
  const fused = (plan: PlannedRun): object[] => {
    const { edge, ends } = plan;
    const { transition } = edge;
    const prepared = runner.prepareTransition(transition);
    let latest: LatestChoice | undefined;
    const work = (scope: Pick<Scope, 'context' | 'event'>): LatestChoice => {
      const { event } = scope;
      const execution = new Execution(scope, surroundings);
      try {
        execution.execute(prepared.steps);
        return { event, execution, end: runner.run(execution, plan) };
      } catch (error) {
        // Thrown by the action: XState makes an error without a code of what a guard throws.
        return { event, execution, error };
      }
    };
    const action = actionOf((scope) => {
      const chosen = latest && latest.event === scope.event ? latest : work(scope);
      latest = undefined;
      if (!chosen.end) throw chosen.error;
      return chosen.execution;
    });
    return Array.from(ends, ([end, { index, reenter }]) => {
      const endsHere = (scope: Scope): boolean => {
        // XState asks the guards of a list in order, so the first of them begins a new choice.
        if (index === 0) {
          const isTaken =
            !prepared.holds || prepared.holds({ ...scope, ...surroundings }, prepared.params);
          latest = isTaken ? work(scope) : undefined;
        }
        return latest?.error === undefined ? latest?.end === end : index === 0;
      };
      const guard = ends.size > 1 ? { guard: endsHere } : {};
      return { ...transition, ...guard, target: absoluteId(root, end), reenter, actions: [action] };
    });
  };
  return new Map(Array.from(plans, ([edge, plan]) => [edge, fused(plan)]));
}

/** The latest choice among the ends of a plan, from the first guard to the action. */
interface LatestChoice {
  readonly event: unknown;
  readonly execution: Execution;
  readonly end?: GraphNode;
  readonly error?: unknown;
}

/** An id that names a node from anywhere: the keys from the root, with what XState's paths give a meaning escaped. */
function absoluteId(root: GraphNode, node: GraphNode): string {
  const keys: string[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) keys.push(at.key);
  const path = [root.node.id!, ...keys.toReversed()];
  return `#${path.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')}`;
}
