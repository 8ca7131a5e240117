import type { DrawnEdge, DrawnNode } from './drawn.ts';

/** So many states have to share an exit before it is drawn once. */
const sharedBy = 3;

/** Words that mean nothing without the other arrows of their state. */
const relative = /^(?:\d+: )?(?:otherwise|else)$/u;

/**
 * Draws an exit that several states share as one arrow, from a node that stands for these states. An exit is shared if
 * its words and its target are the same, and if its states have other ways on: without them it is the flow itself.
 */
export function withSharedExits(
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
): { readonly nodes: readonly DrawnNode[]; readonly edges: readonly DrawnEdge[] } {
  const groups = new Map<string, DrawnEdge[]>();
  for (const edge of edges) {
    const exit = JSON.stringify([edge.target, edge.label]);
    groups.set(exit, [...(groups.get(exit) ?? []), edge]);
  }
  const shared = [...groups.values()].filter((group) => isShared(group, edges));
  if (shared.length === 0) return { nodes, edges };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const replaced = new Set(shared.flat());
  const added = shared.map((group) => {
    const { id, target, label } = group[0]!;
    const sources = group.map(({ source }) => source);
    const parent = byId.get(target)?.parent;
    const node: DrawnNode = {
      id: `${id}:from`,
      ...(parent === undefined ? {} : { parent }),
      kind: 'anywhere',
      name: isEverywhere(sources, target, nodes)
        ? 'from anywhere'
        : `from ${sources.length} states`,
      description: sources.map((source) => byId.get(source)!.name).join(', '),
      initial: false,
      path: [],
      asks: [],
    };
    return { node, edge: { id, source: node.id, target, label, sources } };
  });
  return {
    nodes: [...nodes, ...added.map(({ node }) => node)],
    edges: [...edges.filter((edge) => !replaced.has(edge)), ...added.map(({ edge }) => edge)],
  };
}

function isShared(group: readonly DrawnEdge[], edges: readonly DrawnEdge[]): boolean {
  const { label } = group[0]!;
  if (group.length < sharedBy || label === '' || relative.test(label)) return false;
  return group.every(
    ({ id, source, target }) =>
      source !== target &&
      edges.some((other) => other.source === source && other.target !== target && other.id !== id),
  );
}

/** Whether all states that can be left are among the sources. */
function isEverywhere(
  sources: readonly string[],
  target: string,
  nodes: readonly DrawnNode[],
): boolean {
  const parents = new Set(nodes.map(({ parent }) => parent));
  return nodes.every(
    ({ id, kind }) =>
      sources.includes(id) ||
      id === target ||
      parents.has(id) ||
      kind === 'final' ||
      kind === 'history',
  );
}
