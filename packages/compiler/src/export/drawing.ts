import type { Chart } from '../chart/chart.ts';
import type { Path } from '../path.ts';
import { chartGraph, type GraphNode } from '../chart/graph.ts';
import type { DrawnEdge, DrawnNode, Drawing } from './drawn.ts';
import { drawnGraph } from './drawn-graph.ts';
import { entriesOf, type Entry } from './entries.ts';
import { withGroups } from './groups.ts';
import { overviewOf } from './overview.ts';
import { withSharedExits } from './shared-exits.ts';
import { conditionWords, cut, drawnName, hiddenNodes, longestName, sortOf } from './words.ts';

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

/** Adds the beginnings besides the initial state, each with an arrow. */
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
