import type { Report } from '../../format.ts';
import { unreachableState } from '../problems.ts';
import type { GraphNode } from '../graph.ts';
import { nameOf, pathKey } from './place.ts';
import type { Reachable } from './reachable.ts';

/**
 * Every state that an author wrote can be entered. What stands inside an unreachable state is not reported again, and
 * neither is a state of which another node, made from the same place of the definition, can be entered.
 */
export function statesAreReachable(
  nodes: readonly GraphNode[],
  canBeActive: Reachable,
  report: Report,
): void {
  let reached: Set<string> | undefined;
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index]!;
    const origin = node.node.meta?.origin;
    if (canBeActive(node) || !origin) continue;
    reached ??= originsOf(nodes.filter(canBeActive));
    if (!reached.has(pathKey(origin))) report(unreachableState(nameOf(node)), origin);
    reached.add(pathKey(origin));
    index = node.end;
  }
}

function originsOf(nodes: readonly GraphNode[]): Set<string> {
  const origins = new Set<string>();
  for (const { node } of nodes) if (node.meta?.origin) origins.add(pathKey(node.meta.origin));
  return origins;
}
