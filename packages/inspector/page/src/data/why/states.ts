import type { Chart } from '@dramaturg/compiler';
import { isAuthored, isCompiled, nodesOf, type PlacedNode, titleOf } from '../chart-nodes.ts';
import { authoredExits } from './conditions.ts';

/**
 * The states that an actor is in, as its author speaks of them: the innermost authored states that lead on, or, where none
 * does, the innermost authored ones. For a machine that was not compiled, its innermost states.
 */
export function statesIn(chart: Chart, active: readonly string[] = []): readonly PlacedNode[] {
  const nodes = nodesOf(chart);
  const states = new Set<PlacedNode>();
  const ids = new Set(active);
  for (const id of active) {
    const node = nodes.get(id);
    if (!node?.parent || node.children.some((child) => ids.has(child.id))) continue;
    const state = isCompiled(chart) ? authoredState(node) : node;
    if (state) states.add(state);
  }
  return [...states];
}

/** The authored state around a node that leads on; without one, the nearest authored state, or an end with a title. */
export function authoredState(node: PlacedNode): PlacedNode | undefined {
  let nearest: PlacedNode | undefined;
  for (let at: PlacedNode | undefined = node; at?.parent; at = at.parent) {
    if (!isAuthored(at)) continue;
    nearest ??= at;
    if (authoredExits(at).length > 0) return at;
  }
  if (nearest) return nearest;
  return node.node.type === 'final' && node.node.meta?.['title'] !== undefined ? node : undefined;
}

export function namesOf(states: readonly PlacedNode[]): string {
  return states.map(titleOf).join(' and ');
}
