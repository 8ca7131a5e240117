import { rootsOf } from '../../directed-graph.ts';
import type { Report } from '../../format.ts';
import type { Path } from '../../path.ts';
import { unreachableState } from '../problems.ts';
import type { GraphNode } from '../graph.ts';
import { nameOf, pathKey } from './place.ts';
import type { Reachable } from './reachable.ts';

interface Unreached {
  readonly node: GraphNode;
  readonly origin: Path;
}

/**
 * Every state that an author wrote can be entered. What stands inside an unreachable state is not reported again, and
 * neither is a state of which another node, made from the same place of the definition, can be entered. Of states that
 * lead to one another only the first is reported: adding a transition to it makes the others reachable. All of them are one
 * finding, because one missing transition, or one state without any, can leave several behind.
 */
export function statesAreReachable(
  nodes: readonly GraphNode[],
  canBeActive: Reachable,
  report: Report,
): void {
  const unreached = unreachedIn(nodes, canBeActive);
  if (unreached.length === 0) return;
  const ids = unreached.map((_, index) => String(index));
  const next = leadsTo(nodes, unreached);
  for (const id of rootsOf(ids, (one) => next[Number(one)]!)) {
    const { node, origin } = unreached[Number(id)]!;
    report(unreachableState(nameOf(node)), origin, { topic: 'unreachable' });
  }
}

function unreachedIn(nodes: readonly GraphNode[], canBeActive: Reachable): Unreached[] {
  const unreached: Unreached[] = [];
  let reached: Set<string> | undefined;
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index]!;
    const origin = node.node.meta?.origin;
    if (canBeActive(node) || !origin) continue;
    reached ??= originsOf(nodes.filter(canBeActive));
    if (!reached.has(pathKey(origin))) unreached.push({ node, origin });
    reached.add(pathKey(origin));
    index = node.end;
  }
  return unreached;
}

/** Of each unreached state, the other ones that a transition in it leads to, by their positions in the list. */
function leadsTo(nodes: readonly GraphNode[], unreached: readonly Unreached[]): string[][] {
  const ownerOf = new Map<GraphNode, string>();
  const subtrees = unreached.map(({ node }) => nodes.slice(node.index, node.end + 1));
  for (const [index, inside] of subtrees.entries())
    for (const node of inside) ownerOf.set(node, String(index));
  return subtrees.map((inside) =>
    inside
      .flatMap(({ lists }) => lists.flatMap(({ edges }) => edges.flatMap(({ targets }) => targets)))
      .flatMap((target) => ownerOf.get(target) ?? []),
  );
}

function originsOf(nodes: readonly GraphNode[]): Set<string> {
  const origins = new Set<string>();
  for (const { node } of nodes) if (node.meta?.origin) origins.add(pathKey(node.meta.origin));
  return origins;
}
