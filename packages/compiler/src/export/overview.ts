import type { Chart, ChartNode, ChartTransition } from '../chart/chart.ts';
import type { GraphNode } from '../chart/graph.ts';
import { nodeName } from '../chart/node-name.ts';
import { drawnGraph } from './drawn-graph.ts';

/**
 * What an author wrote of a chart: the nodes and the transitions that have an origin in the definition, and the nodes
 * these transitions lead to. What was added around and inside them is left out, and the children of a node that is left
 * out take its place.
 */
export function overviewOf(chart: Chart): Chart {
  const nodes = drawnGraph(chart);
  const root = nodes[0]!;
  const kept = keptNodes(nodes);

  const drawn = (node: GraphNode): ChartNode => {
    const always = authoredTransitions(node, kept).map(({ transition, targets }) => ({
      target: targets.map((target) => `#${idOf(target)}`),
      ...(transition.description === undefined ? {} : { description: transition.description }),
      ...(transition.guard ? { guard: transition.guard } : {}),
    }));
    return {
      id: idOf(node),
      ...typeOf(node),
      meta: { title: nodeName(node.node, node.key) },
      ...(always.length > 0 ? { always } : {}),
      ...inside(node),
    };
  };

  const inside = (node: GraphNode): Pick<ChartNode, 'type' | 'initial' | 'states'> => {
    const children = nearestKept(node, kept);
    if (children.length === 0) return {};
    const states = Object.fromEntries(children.map((child) => [idOf(child), drawn(child)]));
    if (isParallel(node, children) && node !== root) return { type: 'parallel', states };
    return { initial: idOf(enteredFirst(node, kept) ?? children[0]!), states };
  };

  const { chart: version, format, id, context, output, meta } = chart;
  return {
    chart: version,
    format,
    id,
    context,
    output,
    ...(meta ? { meta } : {}),
    ...inside(root),
  };
}

/** What an author wrote, and what authored transitions lead to that is part of nothing an author wrote. */
function keptNodes(nodes: readonly GraphNode[]): ReadonlySet<GraphNode> {
  const kept = new Set(nodes.filter(isAuthored));
  for (const node of nodes) {
    for (const { targets } of ownTransitions(node)) for (const target of targets) kept.add(target);
  }
  return kept;
}

function typeOf({ kind }: GraphNode): Pick<ChartNode, 'type'> {
  return kind === 'atomic' || kind === 'compound' ? {} : { type: kind };
}

/** Whether what is kept in a node is entered at once: in it, or in a node inside of it that is left out. */
function isParallel(node: GraphNode, children: readonly GraphNode[]): boolean {
  if (node.kind === 'parallel') return true;
  return children.length > 1 && children.every((child) => isInRegion(child, node));
}

function isInRegion(child: GraphNode, outer: GraphNode): boolean {
  for (let at = child.parent; at !== undefined && at !== outer; at = at.parent)
    if (at.kind === 'parallel') return true;
  return false;
}

function isAuthored({ node }: GraphNode): boolean {
  return (node.meta?.origin?.length ?? 0) > 0;
}

interface AuthoredTransition {
  readonly transition: ChartTransition;
  readonly targets: readonly GraphNode[];
}

/** The authored transitions of a node; where one leads inside of what an author wrote, it leads to the whole. */
function ownTransitions(node: GraphNode): AuthoredTransition[] {
  return node.lists.flatMap(({ edges }) =>
    edges
      .filter(({ transition }) => transition.meta?.origin !== undefined)
      .map(({ transition, targets }) => ({ transition, targets: targets.map(nearestAuthored) })),
  );
}

function nearestAuthored(node: GraphNode): GraphNode {
  for (let at: GraphNode | undefined = node; at !== undefined; at = at.parent) {
    if (isAuthored(at)) return at;
  }
  return node;
}

/** The authored transitions of a node and of what is left out inside of it. */
function authoredTransitions(node: GraphNode, kept: ReadonlySet<GraphNode>): AuthoredTransition[] {
  const hidden = node.children.filter((child) => !kept.has(child));
  return [...ownTransitions(node), ...hidden.flatMap((child) => authoredTransitions(child, kept))];
}

/** The kept nodes inside a node, with none between. */
function nearestKept(node: GraphNode, kept: ReadonlySet<GraphNode>): GraphNode[] {
  return node.children.flatMap((child) => (kept.has(child) ? [child] : nearestKept(child, kept)));
}

/** The first kept node that entering a node leads to. */
function enteredFirst(node: GraphNode, kept: ReadonlySet<GraphNode>): GraphNode | undefined {
  const entered = node.kind === 'parallel' ? node.children : node.initial ? [node.initial] : [];
  for (const child of entered) {
    const found = kept.has(child) ? child : enteredFirst(child, kept);
    if (found) return found;
  }
  return undefined;
}

function idOf({ index }: GraphNode): string {
  return `n${index}`;
}
