import type { Chart, ChartNode, ChartTransition } from './chart.ts';
import { ChartError } from './problems.ts';
import { targetsOf, transitionLists } from './walk.ts';

/** A node with its relations. Its subtree has the indexes from `index` to `end`, in document order. */
export interface GraphNode {
  readonly node: ChartNode;
  readonly key: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly index: number;
  end: number;
  readonly parent: GraphNode | undefined;
  readonly children: GraphNode[];
  initial: GraphNode | undefined;
  lists: readonly EdgeList[];
}

/** The transitions of one node for one event, in order of preference; the event of `always` is empty. */
export interface EdgeList {
  readonly event: string;
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly transition: ChartTransition;
  readonly targets: readonly GraphNode[];
}

/**
 * Every node of a chart in document order, with resolved transitions. Iterative, because charts may nest deeper than the stack.
 *
 * @throws ChartError when a target or an `initial` does not name a node
 */
export function chartGraph(chart: Chart): readonly GraphNode[] {
  const nodes = graphNodes(chart);
  const find = targetFinder(chart, nodes);
  for (const node of nodes) {
    if (node.kind === 'compound') node.initial = find.child(node, node.node.initial);
    node.lists = transitionLists(node.node).map(([event, transitions]) => ({
      event,
      edges: transitions.map((transition) => ({
        transition,
        targets: targetsOf(transition).map((target) => find.target(node, target)),
      })),
    }));
  }
  return nodes;
}

/** Whether the inner node is the outer one or inside it. */
export function contains(outer: GraphNode, inner: GraphNode): boolean {
  return outer.index <= inner.index && inner.index <= outer.end;
}

function graphNodes(chart: Chart): GraphNode[] {
  const nodes: GraphNode[] = [];
  const pending: { node: ChartNode; key: string; parent: GraphNode | undefined }[] = [
    { node: chart, key: '', parent: undefined },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, key, parent } = next;
    const states = Object.entries(node.states ?? {});
    const kind = node.type ?? (states.length > 0 ? 'compound' : 'atomic');
    const index = nodes.length;
    const placed: GraphNode = {
      node,
      key,
      kind,
      index,
      end: index,
      parent,
      children: [],
      initial: undefined,
      lists: [],
    };
    nodes.push(placed);
    parent?.children.push(placed);
    for (const [childKey, child] of states.toReversed())
      pending.push({ node: child, key: childKey, parent: placed });
  }
  for (let index = nodes.length - 1; index > 0; index -= 1) {
    const { parent, end } = nodes[index]!;
    if (parent!.end < end) parent!.end = end;
  }
  return nodes;
}

function targetFinder(chart: Chart, nodes: readonly GraphNode[]) {
  const byId = new Map<string, GraphNode>();
  for (const node of nodes) if (node.node.id !== undefined) byId.set(node.node.id, node);

  const byKey = new Map<GraphNode, Map<string, GraphNode>>();
  const childOf = (parent: GraphNode, key: string): GraphNode | undefined => {
    let children = byKey.get(parent);
    if (!children)
      byKey.set(parent, (children = new Map(parent.children.map((child) => [child.key, child]))));
    return children.get(key);
  };

  /** XState gives a node without an id the chart's id and its keys, joined by dots. */
  const byDefaultId = (id: string): GraphNode | undefined => {
    if (!id.startsWith(`${chart.id}.`)) return undefined;
    let found: GraphNode | undefined = nodes[0];
    for (const key of id.slice(chart.id.length + 1).split('.'))
      found = found && childOf(found, key);
    return found;
  };

  return {
    target(from: GraphNode, target: string): GraphNode {
      const found = target.startsWith('#')
        ? (byId.get(target.slice(1)) ?? byDefaultId(target.slice(1)))
        : from.parent && childOf(from.parent, target);
      if (found) return found;
      throw new ChartError(
        'chart/unknown-target',
        `A transition of "${idOf(from, chart)}" leads to "${target}", and there is no such node.`,
      );
    },
    child(parent: GraphNode, key: string | undefined): GraphNode {
      const found = key === undefined ? undefined : childOf(parent, key);
      if (found) return found;
      const what =
        key === undefined
          ? 'has no initial node'
          : `has "${key}" as its initial node, and there is no such node in it`;
      throw new ChartError('chart/unknown-target', `The node "${idOf(parent, chart)}" ${what}.`);
    },
  };
}

function idOf(node: GraphNode, chart: Chart): string {
  const keys: string[] = [];
  for (let at: GraphNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.node.id !== undefined) return [at.node.id, ...keys.toReversed()].join('.');
    keys.push(at.key);
  }
  return [chart.id, ...keys.toReversed()].join('.');
}
