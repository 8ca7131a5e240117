import type { Edge, GraphNode } from '../../chart/graph.ts';
import type { Scope } from '../behaviour.ts';
import { actionOf } from '../effects.ts';
import type { PlannedRun } from './plan.ts';
import { Execution, type Runner } from './run.ts';

/**
 * Fuses runs of states that need nothing from outside. A transition to a transient node is replaced by one transition for
 * each node at which the run may end. The guard tells whether the run ends there, and the action executes the whole run.
 * Nodes, resting nodes, context and emitted events stay the same, so fused and unfused machines read each other's snapshots.
 *
 * A run is computed from context and event alone, before XState leaves or enters any node. `planRuns` decides where that is
 * exact, and only those runs are fused.
 *
 * @returns the XState transitions that replace each edge
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
        // The action throws the error: if a guard threw it, XState would lose its code.
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
        // XState evaluates the guards of a list in order, so the first one starts a new choice.
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

/** The absolute id of a node: the keys from the root, with the special characters of XState's paths escaped. */
function absoluteId(root: GraphNode, node: GraphNode): string {
  const keys: string[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) keys.push(at.key);
  const path = [root.node.id!, ...keys.toReversed()];
  return `#${path.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')}`;
}
