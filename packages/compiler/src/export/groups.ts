import type { GraphNode } from '../chart/graph.ts';
import type { DrawnEdge, DrawnNode } from './drawn.ts';

/**
 * Frames states that lowering put into a titled node of its own, such as the hidden states of a traversal. There is one
 * frame for each set of such states that arrows connect, so that it is drawn between the states that it serves.
 *
 * @param outer the node of the chart that contains a drawn node
 */
export function withGroups(
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
  outer: (id: string) => GraphNode | undefined,
): readonly DrawnNode[] {
  const titled = new Map<string, string>();
  for (const { id } of nodes) {
    const parent = outer(id);
    const title = parent?.node.meta?.['title'];
    const isAdded = parent?.parent !== undefined && parent.node.meta?.origin === undefined;
    if (isAdded && typeof title === 'string') titled.set(id, title);
  }
  const groups = connected(titled, edges).filter((members) => members.length > 1);
  if (groups.length === 0) return nodes;
  const groupOf = new Map(groups.flatMap((members) => members.map((id) => [id, members] as const)));
  const framed = new Set<readonly string[]>();
  return nodes.flatMap((node) => {
    const members = groupOf.get(node.id);
    if (!members) return node;
    const id = `${members[0]!}:group`;
    const inside = { ...node, parent: id, initial: false };
    if (framed.has(members)) return inside;
    framed.add(members);
    const frame: DrawnNode = {
      id,
      ...(node.parent === undefined ? {} : { parent: node.parent }),
      kind: 'group',
      name: titled.get(node.id)!,
      initial: nodes.some((other) => other.initial && groupOf.get(other.id) === members),
      path: [],
      asks: [],
    };
    return [frame, inside];
  });
}

/** The sets of nodes that arrows connect. */
function connected(
  ids: ReadonlyMap<string, string>,
  edges: readonly DrawnEdge[],
): readonly (readonly string[])[] {
  const sets = new Map([...ids.keys()].map((id) => [id, [id]]));
  for (const { source, target } of edges) {
    const [one, other] = [sets.get(source), sets.get(target)];
    if (!one || !other || one === other || ids.get(source) !== ids.get(target)) continue;
    one.push(...other);
    for (const id of other) sets.set(id, one);
  }
  return [...new Set(sets.values())];
}
