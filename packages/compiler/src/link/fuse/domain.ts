import { contains, type GraphNode } from '../../chart/graph.ts';

/**
 * The node within which a transition with one target leaves and enters nodes, as XState finds it; nothing when it leaves
 * even the root.
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

/** True when the inner node stands inside of the outer one and is another. */
export function isAncestor(outer: GraphNode, inner: GraphNode): boolean {
  return outer !== inner && contains(outer, inner);
}

/** The node that is active in the end when a node is entered, as far as it is a single one. */
export function leafOf(node: GraphNode): GraphNode {
  let leaf = node;
  while (leaf.initial) leaf = leaf.initial;
  return leaf;
}

/** Whether entering and leaving the node does nothing else. A region is never entered or left without the others. */
export function isPlain({ kind, node, parent }: GraphNode): boolean {
  if (kind !== 'compound' || parent?.kind === 'parallel') return false;
  return !node.entry && !node.exit && !node.invoke;
}

/** Whether only plain nodes are entered or left between a node and the domain of a transition. */
export function isPlainBetween(inner: GraphNode, domain: GraphNode): boolean {
  for (let at = inner.parent; at !== undefined && at !== domain; at = at.parent)
    if (!isPlain(at)) return false;
  return true;
}

export function isInRegion(node: GraphNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent)
    if (at.kind === 'parallel') return true;
  return false;
}
