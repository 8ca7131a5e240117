import type { Chart, NodeMeta } from '../chart/chart.ts';
import { chartGraph, type GraphNode } from '../chart/graph.ts';
import { isRecord } from '../json.ts';
import type { Path } from '../path.ts';
import { drawnGraph } from './drawn-graph.ts';
import { overviewOf } from './overview.ts';
import { conditionWords, cut, drawnName, hiddenNodes, longestName } from './words.ts';

/** What there is to draw of a chart, for whoever lays it out: nodes before what is inside them, then the arrows. */
export interface Drawing {
  readonly title: string;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface DrawnNode {
  readonly id: string;
  /** The id of the node it stands in; absent for the outermost ones. */
  readonly parent?: string;
  /** `anywhere` is the source of arrows that leave from every state of the chart. */
  readonly kind: GraphNode['kind'] | 'anywhere';
  readonly name: string;
  /** What its format calls such a node: `loose`, `Task`, `waiting`. */
  readonly sort?: string;
  readonly description?: string;
  /** Entered first when the node it stands in is entered. */
  readonly initial: boolean;
  /** Where it stands in the chart, by keys: what the value of a snapshot says. */
  readonly path: readonly string[];
  /** Where the author has written it. */
  readonly origin?: Path;
  /** The ports that are asked while it is active. */
  readonly asks: readonly string[];
}

export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The event and the condition; empty when it is taken as a matter of course. */
  readonly label: string;
}

export interface DrawingOptions {
  /** What the author wrote, or every node and transition of the chart. `overview` when left out. */
  readonly detail?: 'overview' | 'full';
}

const anywhere = 'anywhere';

/**
 * The nodes and arrows of a chart. Transitions without a target change no place and have no arrow; a chart that a node
 * runs for items stands inside of the node.
 *
 * @throws ChartError when a target or an initial names no node
 */
export function drawingOf(chart: Chart, { detail = 'overview' }: DrawingOptions = {}): Drawing {
  const all = drawnGraph(chart);
  const graph = detail === 'full' ? all : chartGraph(overviewOf(chart));
  const hidden = hiddenNodes(graph);
  const drawn = graph.filter((node) => !hidden.has(node));
  // The nodes of an overview are named after those they stand for.
  const original = (node: GraphNode) =>
    detail === 'full' || node.parent === undefined ? all[node.index]! : all[indexIn(node)]!;
  const paths = pathsOf(all);
  const edges = edgesOf(drawn, hidden);
  const nodes = drawn.slice(1).map((node): DrawnNode => {
    const { node: authored, ...from } = original(node);
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
      path: paths[from.index]!,
      ...(meta?.origin ? { origin: meta.origin } : {}),
      asks: invoke.map(({ src }) => src),
    };
  });
  const { meta, id } = chart;
  const title = typeof meta?.['title'] === 'string' ? meta['title'] : id;
  const isFromAnywhere = edges.some(({ source }) => source === anywhere);
  return { title, nodes: isFromAnywhere ? [...nodes, anywhereNode] : nodes, edges };
}

const anywhereNode: DrawnNode = {
  id: anywhere,
  kind: anywhere,
  name: 'anywhere',
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
          if (!edges.has(same)) edges.set(same, { id: `e${edges.size}`, source, target, label });
        }
      }
    }
  }
  return [...edges.values()];
}

/** The keys from the root to each node; the charts for items go on from the node that runs them. */
function pathsOf(nodes: readonly GraphNode[]): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  for (const { parent, key, index } of nodes)
    paths[index] = parent ? [...paths[parent.index]!, key] : [];
  return paths;
}

function sortOf({ type, kind, state }: NodeMeta): string | undefined {
  const word = type ?? kind ?? (isRecord(state) ? state['Type'] : undefined);
  return typeof word === 'string' ? word : undefined;
}

function idOf({ index }: GraphNode): string {
  return `n${index}`;
}

/** The index that the key of a node in an overview says. */
function indexIn({ key }: GraphNode): number {
  return Number(key.slice(1));
}
