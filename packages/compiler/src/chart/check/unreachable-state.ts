import { rootsOf } from '../../directed-graph.ts';
import type { Report } from '../../format.ts';
import type { Path } from '../../path.ts';
import type { GraphNode } from '../graph.ts';
import { unreachableState } from '../problems.ts';
import { nameOf, pathKey } from './endless-loop.ts';
import type { Reachable } from './reachable.ts';

interface Unreached {
  readonly node: GraphNode;
  readonly origin: Path;
}

/**
 * Reports states of the author that cannot be entered. It skips states inside an unreachable state, and states with
 * another node from the same path that can be entered. Of states that lead to one another it reports only the first: a
 * transition to it makes the others reachable. All reports have one topic, because one missing transition can make
 * several states unreachable.
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

/** For each unreached state, the indexes of the other unreached states that its transitions lead to. */
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
