import { contains, type GraphNode } from '../../chart/graph.ts';

/**
 * The domain of a transition with one target, as XState computes it: the node inside which nodes are left and entered.
 * Undefined when the root itself is left.
 */
export function domainOf(
  source: GraphNode,
  target: GraphNode,
  reenter: boolean | undefined,
): GraphNode | undefined {
  if (!reenter && contains(source, target)) return source;
  for (let at = target.parent; at !== undefined; at = at.parent)
    if (isAncestor(at, source)) return at;
  if (reenter) return undefined;
  let root = source;
  while (root.parent) root = root.parent;
  return root;
}

/** Whether the outer node contains the inner one and is a different node. */
export function isAncestor(outer: GraphNode, inner: GraphNode): boolean {
  return outer !== inner && contains(outer, inner);
}

/** The node that becomes active when a node is entered, following initial nodes as far as there is a single one. */
export function leafOf(node: GraphNode): GraphNode {
  let leaf = node;
  while (leaf.initial) leaf = leaf.initial;
  return leaf;
}
