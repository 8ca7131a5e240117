import type { Chart, ChartNode, ChartTransition } from '../chart/chart.ts';
import { type GraphNode, nodeName } from '../chart/graph.ts';
import { drawnGraph } from './drawn.ts';

/**
 * Reduces a chart to what its author wrote: the nodes and transitions with an origin in the definition, and the targets of
 * these transitions. Nodes that lowering added are left out, and their children take their place.
 */
export function overviewOf(chart: Chart): Chart {
  const nodes = drawnGraph(chart);
  const root = nodes[0]!;
  const kept = keptNodes(nodes);

  /** Nodes next to the chart that transitions lead to in drawings, such as a person who takes over. */
  const asides = new Map<string, ChartNode>();
  const asideOf = ({ meta }: ChartTransition): readonly string[] | undefined => {
    const title = meta?.['aside'];
    if (typeof title !== 'string') return undefined;
    const id = asides.get(title)?.id ?? `aside${asides.size}`;
    asides.set(title, { id, meta: { title, type: 'aside' } });
    return [`#${id}`];
  };

  const drawn = (node: GraphNode): ChartNode => {
    const always = authoredTransitions(node, kept).map(({ transition, targets }) => ({
      target: asideOf(transition) ?? targets.map((target) => `#${idOf(target)}`),
      ...(transition.description === undefined ? {} : { description: transition.description }),
      ...(transition.guard ? { guard: transition.guard } : {}),
      meta: { origin: transition.meta!.origin! },
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

  const { states, ...whole } = inside(root);
  const beside = Array.from(asides.values(), (aside) => [aside.id!, aside] as const);
  const { chart: version, format, id, context, output, meta } = chart;
  return {
    chart: version,
    format,
    id,
    context,
    output,
    ...(meta ? { meta } : {}),
    ...whole,
    ...(states && { states: { ...states, ...Object.fromEntries(beside) } }),
  };
}

/** Authored nodes, and targets of authored transitions that are not inside an authored node. */
function keptNodes(nodes: readonly GraphNode[]): ReadonlySet<GraphNode> {
  const kept = new Set(nodes.filter(isAuthored));
  for (const node of nodes) {
    for (const { transition, targets } of ownTransitions(node))
      if (transition.meta?.['aside'] === undefined) for (const target of targets) kept.add(target);
  }
  return kept;
}

function typeOf({ kind }: GraphNode): Pick<ChartNode, 'type'> {
  return kind === 'atomic' || kind === 'compound' ? {} : { type: kind };
}

/** Whether the kept nodes in a node are active at the same time, as its regions or as regions of an omitted child. */
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

/** The authored transitions of a node. A target inside an authored node is replaced by that node. */
function ownTransitions(node: GraphNode): AuthoredTransition[] {
  return node.lists.flatMap(({ edges }) =>
    edges
      .filter(({ transition }) => transition.meta?.origin !== undefined)
      .map(({ transition, targets }) => ({ transition, targets: targets.map(nearestAuthored) })),
  );
}

/** The root is the chart itself and never a target, even if it has an origin, as the chart of a Map's items has. */
function nearestAuthored(node: GraphNode): GraphNode {
  for (let at = node; at.parent !== undefined; at = at.parent) if (isAuthored(at)) return at;
  return node;
}

/** The authored transitions of a node and of the omitted nodes inside it. */
function authoredTransitions(node: GraphNode, kept: ReadonlySet<GraphNode>): AuthoredTransition[] {
  const hidden = node.children.filter((child) => !kept.has(child));
  return [...ownTransitions(node), ...hidden.flatMap((child) => authoredTransitions(child, kept))];
}

/** The nearest kept descendants of a node. */
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
