import type { Edge, GraphNode } from '../../chart/graph.ts';
import { domainOf, isPlainBetween, leafOf } from './domain.ts';

/**
 * A node that needs nothing from outside: it is atomic, has no calls and no events, and is left at once, because the last
 * of its `always` transitions has no guard.
 */
export class Transient {
  readonly node: GraphNode;
  readonly transitions: TransientTransition[] = [];

  constructor(node: GraphNode) {
    this.node = node;
  }

  /** Whether a transition with this domain enters only plain nodes besides this one. */
  isEnteredAlone(domain: GraphNode): boolean {
    // All regions of a parallel domain are entered anew.
    return domain.kind !== 'parallel' && isPlainBetween(this.node, domain);
  }
}

/** A transition of a transient node. */
export interface TransientTransition {
  readonly edge: Edge;
  readonly target: GraphNode;
  readonly domain: GraphNode | undefined;
  /** The transient target, when the transition leaves and enters only plain nodes besides these two. */
  readonly next: Transient | undefined;
}

export function transientNodes(nodes: readonly GraphNode[]): ReadonlyMap<GraphNode, Transient> {
  const transients = new Map<GraphNode, Transient>();
  for (const node of nodes) if (isTransient(node)) transients.set(node, new Transient(node));
  for (const transient of transients.values()) {
    for (const edge of transient.node.lists[0]!.edges)
      transient.transitions.push(transitionOf(transient, edge, transients));
  }
  return transients;
}

function transitionOf(
  { node }: Transient,
  edge: Edge,
  transients: ReadonlyMap<GraphNode, Transient>,
): TransientTransition {
  const target = edge.targets[0]!;
  const domain = domainOf(node, target, edge.transition.reenter);
  const next = transients.get(leafOf(target));
  const isStep = next && domain && isPlainBetween(node, domain) && next.isEnteredAlone(domain);
  return { edge, target, domain, next: isStep ? next : undefined };
}

function isTransient(placed: GraphNode): boolean {
  const { kind, node, lists } = placed;
  if (kind !== 'atomic' || !node.always || lists.length !== 1 || node.invoke) return false;
  const { edges } = lists[0]!;
  if (edges.length === 0 || edges.at(-1)!.transition.guard) return false;
  // XState lets a node that leads to itself rest while nothing changes.
  return edges.every(({ targets }) => targets.length === 1 && leafOf(targets[0]!) !== placed);
}
