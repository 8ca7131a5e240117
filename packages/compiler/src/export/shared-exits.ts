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
  const shared = sharedExits([...groups.values()], edges);
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
        : `from ${sources.map((source) => byId.get(source)!.name).join(', ')}`,
      initial: false,
      path: [],
      asks: [],
    };
    const origins = group.flatMap((edge) => edge.origins ?? []);
    return { node, edge: { id, source: node.id, target, label, sources, origins } };
  });
  return {
    nodes: [...nodes, ...added.map(({ node }) => node)],
    edges: [...edges.filter((edge) => !replaced.has(edge)), ...added.map(({ edge }) => edge)],
  };
}

/** The exits to draw once, those of the most states first. Each state keeps at least one arrow of its own. */
function sharedExits(
  groups: readonly (readonly DrawnEdge[])[],
  edges: readonly DrawnEdge[],
): readonly (readonly DrawnEdge[])[] {
  const ways = new Map<string, number>();
  for (const { source, target } of edges)
    if (source !== target) ways.set(source, (ways.get(source) ?? 0) + 1);
  const shared: (readonly DrawnEdge[])[] = [];
  for (const group of groups.toSorted((one, other) => other.length - one.length)) {
    const { label } = group[0]!;
    if (label === '' || relative.test(label)) continue;
    const exits = group.filter(
      ({ source, target }) => source !== target && (ways.get(source) ?? 0) > 1,
    );
    if (exits.length < (isOneTransition(group) ? 2 : sharedBy)) continue;
    for (const { source } of exits) ways.set(source, ways.get(source)! - 1);
    shared.push(exits);
  }
  return shared;
}

/** Whether the author wrote the exit once, for all of its states. */
function isOneTransition(group: readonly DrawnEdge[]): boolean {
  return new Set(group.map(({ origins }) => JSON.stringify(origins))).size === 1;
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
