import type { DrawnNode, Drawing } from '@dramaturg/compiler/chart';
import type { ElkExtendedEdge } from 'elkjs/lib/elk-api.js';

const suffix = ':after';

/**
 * Arrows for the layout engine alone. The node of a shared exit, and what only that exit leads to, are connected with
 * nothing else, so the engine would put them at the beginning. They come after the states that share the exit.
 */
export function hintsFor({ nodes, edges }: Drawing): ElkExtendedEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.flatMap(({ source, target, sources = [] }) => {
    const exit = byId.get(source)!;
    if (exit.kind !== 'anywhere') return [];
    const isReached = edges.some(
      (other) => other.target === target && byId.get(other.source)!.kind !== 'anywhere',
    );
    if (isReached) return [];
    const before =
      siblingAround(byId, sources[0], exit) ??
      nodes.find(({ parent, initial }) => initial && parent === exit.parent);
    if (!before || before.id === target) return [];
    return [{ id: `${source}${suffix}`, sources: [before.id], targets: [source] }];
  });
}

export function isHint({ id }: ElkExtendedEdge): boolean {
  return id.endsWith(suffix);
}

/** The sibling of a node that is, or contains, another node. */
function siblingAround(
  byId: ReadonlyMap<string, DrawnNode>,
  id: string | undefined,
  { parent }: DrawnNode,
): DrawnNode | undefined {
  let at = byId.get(id ?? '');
  while (at !== undefined && at.parent !== parent) at = byId.get(at.parent ?? '');
  return at;
}
