import type { Chart } from '../chart/chart.ts';
import { chartGraph, type GraphNode } from '../chart/graph.ts';
import { isRecord, type Path } from '../json.ts';
import {
  conditionWords,
  cut,
  type Drawing,
  type DrawnEdge,
  drawnGraph,
  drawnName,
  type DrawnNode,
  hiddenNodes,
  longestName,
  sortOf,
} from './drawn.ts';
import { overviewOf } from './overview.ts';

export interface DrawingOptions {
  /** Only what the author wrote (`overview`, the default), or every node and transition of the chart. */
  readonly detail?: 'overview' | 'full';
}

const anywhere = 'anywhere';

/**
 * Lists the nodes and arrows of a chart. Transitions without a target have no arrow. A chart that a node runs for items is
 * drawn inside the node.
 *
 * @throws ChartError when a target or an `initial` does not name a node
 */
export function drawingOf(chart: Chart, { detail = 'overview' }: DrawingOptions = {}): Drawing {
  const all = drawnGraph(chart);
  const graph = detail === 'full' ? all : chartGraph(overviewOf(chart));
  const hidden = hiddenNodes(graph);
  const drawn = graph.filter((node) => !hidden.has(node));
  // The key of an overview node has the index of the original node.
  const original = (node: GraphNode) =>
    detail === 'full' || node.parent === undefined
      ? all[node.index]!
      : (all[indexIn(node)] ?? node);
  const paths = pathsOf(all);
  const edges = edgesOf(drawn, hidden);
  const nodes = drawn.slice(1).map((node): DrawnNode => {
    const found = original(node);
    const { node: authored, ...from } = found;
    const { description, meta, invoke = [] } = authored;
    const sort = meta && sortOf(meta);
    return {
      id: idOf(node),
      ...(node.parent?.parent ? { parent: idOf(node.parent) } : {}),
      kind: node.kind,
      name: drawnName({ ...from, node: authored, kind: node.kind }),
      ...(sort === undefined ? {} : { sort }),
      ...(description === undefined ? {} : { description }),
      initial: node.parent?.initial === node,
      path: detail === 'overview' && found === node ? [] : paths[from.index]!,
      ...(meta?.origin ? { origin: meta.origin } : {}),
      asks: invoke.map(({ src }) => src),
    };
  });
  const { meta, id } = chart;
  const title = typeof meta?.['title'] === 'string' ? meta['title'] : id;
  const isFromAnywhere = edges.some(({ source }) => source === anywhere);
  const every = isFromAnywhere ? [...nodes, anywhereNode] : nodes;
  if (detail === 'full') return { title, nodes: every, edges };
  const outer = new Map(drawn.map((node) => [idOf(node), original(node).parent]));
  const framed = withGroups(every, edges, (drawnId) => outer.get(drawnId));
  const shared = withSharedExits(framed, edges);
  return { title, ...withEntries(shared, entriesOf(chart, all), paths) };
}

/** Adds the entries other than the initial state, each with an arrow. */
function withEntries(
  { nodes, edges }: Pick<Drawing, 'nodes' | 'edges'>,
  entries: readonly Entry[],
  paths: readonly (readonly string[])[],
): Pick<Drawing, 'nodes' | 'edges'> {
  const added = entries.flatMap(({ name, target: { index } }, number) => {
    const target = nodes.find(({ path }) => isSamePath(path, paths[index]!));
    if (!target) return [];
    const id = `entry${number}`;
    const { parent } = target;
    const node: DrawnNode = {
      id,
      ...(parent === undefined ? {} : { parent }),
      kind: 'entry',
      name,
      initial: false,
      path: [],
      asks: [],
    };
    return [{ node, edge: { id: `${id}:arrow`, source: id, target: target.id, label: '' } }];
  });
  return {
    nodes: [...added.map(({ node }) => node), ...nodes],
    edges: [...edges, ...added.map(({ edge }) => edge)],
  };
}

const anywhereNode: DrawnNode = {
  id: anywhere,
  kind: anywhere,
  name: 'from anywhere',
  initial: false,
  path: [],
  asks: [],
};

function edgesOf(drawn: readonly GraphNode[], hidden: ReadonlySet<GraphNode>): DrawnEdge[] {
  const edges = new Map<string, DrawnEdge>();
  for (const node of drawn) {
    const source = node.parent ? idOf(node) : anywhere;
    for (const { event, edges: transitions } of node.lists) {
      for (const { transition, targets } of transitions) {
        const words = [cut(event, longestName), conditionWords(transition)];
        const label = words.filter(Boolean).join(' ');
        for (const at of targets) {
          if (hidden.has(at) || !at.parent) continue;
          const target = idOf(at);
          const same = JSON.stringify([source, target, label]);
          const edge = edges.get(same) ?? { id: `e${edges.size}`, source, target, label };
          const { origin } = transition.meta ?? {};
          const { origins = [] } = edge;
          const isNew = origin && !origins.some((each) => isSamePath(each, origin));
          edges.set(same, isNew ? { ...edge, origins: [...origins, origin] } : edge);
        }
      }
    }
  }
  return [...edges.values()];
}

function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

/** The keys from the root to each node. Charts for items continue the path of the node that runs them. */
function pathsOf(nodes: readonly GraphNode[]): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  for (const { parent, key, index } of nodes)
    paths[index] = parent ? [...paths[parent.index]!, key] : [];
  return paths;
}

function idOf({ index }: GraphNode): string {
  return `n${index}`;
}

/** The index in the key of an overview node. */
function indexIn({ key }: GraphNode): number {
  return Number(key.slice(1));
}

/** An entry to a chart other than its initial state. */
interface Entry {
  /** When it is taken, such as `returning user`. */
  readonly name: string;
  /** The node of the chart that it leads to. */
  readonly target: GraphNode;
}

/**
 * The entries of a chart besides its initial state: `meta.entries` of the chart, each with a `name` and the id of its `target`.
 * Entries to unknown nodes are left out, because `meta` is not checked.
 */
export function entriesOf({ meta }: Chart, nodes: readonly GraphNode[]): readonly Entry[] {
  const entries = meta?.['entries'];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown): Entry[] => {
    const { name, target: id } = isRecord(entry) ? entry : {};
    const target = nodes.find(({ node }) => node.id === id);
    return typeof name === 'string' && id !== undefined && target ? [{ name, target }] : [];
  });
}

/**
 * Frames states that lowering put into a titled node of its own, such as the hidden states of a traversal. There is one
 * frame for each set of such states that arrows connect, so that it is drawn between the states that it serves.
 *
 * @param outer the node of the chart that contains a drawn node
 */
function withGroups(
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

/** An exit is drawn once when at least this many states share it. */
const sharedBy = 3;

/** Words that make sense only next to the other arrows of their state. */
const relative = /^(?:\d+: )?(?:otherwise|else)$/u;

/**
 * Draws an exit that several states share as one arrow, from a node that represents these states. An exit is shared if its words
 * and its target are the same, and if its states also have other exits: otherwise it is the main flow.
 */
function withSharedExits(
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

/** The exits to draw once; exits that most states share come first. Each state keeps at least one arrow of its own. */
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
