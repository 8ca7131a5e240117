import type { Path } from '../../path.ts';
import type { ChartTransition } from '../chart.ts';
import { nodeName } from '../node-name.ts';
import type { GraphNode } from '../graph.ts';

/** Where the author wrote it: the origin of the transition, else of its node, else of the nearest ancestor with one. */
export function nearestOrigin(node: GraphNode, transition?: ChartTransition): Path {
  if (transition?.meta?.origin) return transition.meta.origin;
  for (let at: GraphNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.node.meta?.origin) return at.node.meta.origin;
  }
  return [];
}

/** Equal for equal paths. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

export function nameOf(node: GraphNode): string {
  return nodeName(node.node, node.key);
}
