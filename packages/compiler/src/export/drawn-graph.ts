import type { Chart } from '../chart/chart.ts';
import { chartGraph, type EdgeList, type GraphNode } from '../chart/graph.ts';

/**
 * The graph of a chart for drawing. A chart that a node runs for items becomes part of the node, as if its nodes were the
 * node's children. If the node has other children or more such charts, each chart gets a box of its own.
 */
export function drawnGraph(chart: Chart): readonly GraphNode[] {
  const nodes = [...chartGraph(chart)];
  for (const node of nodes) {
    const graphs = (node.node.invoke ?? []).flatMap((call) => call.chart ?? []).map(chartGraph);
    for (const graph of graphs) {
      const isAlone = graphs.length === 1 && node.children.length === 0;
      const added = isAlone ? dissolved(graph, node) : boxed(graph, node);
      for (const inner of added) nodes.push(Object.assign(inner, { index: nodes.length }));
    }
  }
  return nodes;
}

/** Replaces the root of a graph by another node, and returns the other nodes. */
function dissolved([root, ...inner]: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  const { kind, initial, children, lists } = root!;
  for (const child of children) Object.assign(child, { parent: node });
  Object.assign(node, { kind, initial, children, lists: [...node.lists, ...lists] });
  for (const placed of [node, ...inner]) placed.lists = placed.lists.map(withTarget(root!, node));
  return inner;
}

/** Redirects the transitions of a list from one target to another. */
function withTarget(from: GraphNode, to: GraphNode) {
  return ({ event, edges }: EdgeList): EdgeList => ({
    event,
    edges: edges.map(({ transition, targets }) => ({
      transition,
      targets: targets.map((target) => (target === from ? to : target)),
    })),
  });
}

function boxed(graph: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  node.children.push(Object.assign(graph[0]!, { parent: node }));
  return graph;
}
