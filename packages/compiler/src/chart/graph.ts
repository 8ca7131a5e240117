import { problem } from '../diagnostic.ts';
import { DramaturgError } from '../error.ts';
import { atOnce, nodesPerSlice, type Sliced } from '../sliced.ts';
import { quotedChain } from '../words.ts';
import type { Chart, ChartNode, ChartTransition } from './chart.ts';

/** Problems of a chart of any format. The author reads them, so they use the words state and transition. */

export const unreachableState = problem('chart/unreachable-state', 'warning', (name: string) => ({
  message: `Nothing leads to the state "${name}".`,
  hint: 'Add a transition to it, or remove it.',
}));

export const deadEnd = problem('chart/dead-end', 'warning', (name: string) => ({
  message: `Nothing can happen any more once the state "${name}" is entered.`,
  hint: 'Add a transition that leaves it, or make it final.',
}));

export const shadowedTransition = problem(
  'chart/shadowed-transition',
  'warning',
  (earlier: 'has no condition' | 'has the same condition') => ({
    message: `This transition is never taken: an earlier one ${earlier}.`,
    hint: 'Move it before the earlier one, change the condition of one of them, or remove it.',
  }),
);

export const endlessLoop = problem('chart/endless-loop', 'error', (names: readonly string[]) => ({
  message: `These states lead to each other endlessly without waiting for an event: ${quotedChain([...names, names[0]!])}.`,
  hint: 'Give one of the transitions a condition, or an event to wait for.',
}));

export const chartProblems = [unreachableState, deadEnd, shadowedTransition, endlessLoop] as const;

export type ChartErrorCode = 'chart/unknown-target' | 'chart/unknown-version' | 'chart/bad-layout';

/** A value is not a valid chart. The lowering or the caller is at fault, never the author. */
export class ChartError extends DramaturgError<ChartErrorCode> {
  override readonly name = 'ChartError';
}

/**
 * Every node of a chart in document order, without the charts that run for items. Iterative, because charts may nest deeper
 * than the stack.
 */
export function nodesOf(chart: Chart): ChartNode[] {
  const nodes: ChartNode[] = [];
  const pending: ChartNode[] = [chart];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    for (const child of Object.values(next.states ?? {}).toReversed()) pending.push(child);
  }
  return nodes;
}

/** A chart and all charts inside it that run for items, at any depth, the outermost first. */
export function chartsOf(chart: Chart): Chart[] {
  const charts = [chart];
  for (const next of charts) {
    for (const node of nodesOf(next)) {
      for (const invoke of node.invoke ?? []) if (invoke.chart) charts.push(invoke.chart);
    }
  }
  return charts;
}

/** The transitions of a node by event, each list in order of preference. */
export function transitionLists(
  node: ChartNode,
): [event: string, transitions: readonly ChartTransition[]][] {
  const lists: [string, readonly ChartTransition[]][] = [];
  if (node.always) lists.push(['', node.always]);
  for (const [event, transitions] of Object.entries(node.on ?? {}))
    lists.push([event, transitions]);
  if (node.onDone) lists.push(['done', node.onDone]);
  for (const invoke of node.invoke ?? []) {
    lists.push([`${invoke.id} answered`, invoke.onDone], [`${invoke.id} failed`, invoke.onError]);
  }
  return lists;
}

/** The targets of a transition as a list. */
function targetsOf(transition: ChartTransition): readonly string[] {
  if (transition.target === undefined) return [];
  return typeof transition.target === 'string' ? [transition.target] : transition.target;
}

/** What people call a node: its title, else the author's id that its key was made from. */
export function nodeName(node: ChartNode, key: string): string {
  const title = node.meta?.['title'];
  if (typeof title === 'string' && title.trim() !== '') return title;
  if (key === '') return node.id ?? '';
  // The inverse of `nodeKey`, which encodes every percent sign of the author's own.
  return key.replace(/%([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}

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
  return atOnce(graphing(chart));
}

/** As `chartGraph`. */
export function* graphing(chart: Chart): Sliced<readonly GraphNode[]> {
  const nodes = yield* graphNodes(chart);
  const find = targetFinder(chart, nodes);
  for (const node of nodes) {
    if (node.index % nodesPerSlice === nodesPerSlice - 1) yield;
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

function* graphNodes(chart: Chart): Sliced<GraphNode[]> {
  const nodes: GraphNode[] = [];
  const pending: { node: ChartNode; key: string; parent: GraphNode | undefined }[] = [
    { node: chart, key: '', parent: undefined },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, key, parent } = next;
    const states = Object.entries(node.states ?? {});
    const kind = node.type ?? (states.length > 0 ? 'compound' : 'atomic');
    const index = nodes.length;
    if (index % nodesPerSlice === nodesPerSlice - 1) yield;
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
        `A transition of "${idOf(from)}" leads to "${target}", and there is no such node.`,
      );
    },
    child(parent: GraphNode, key: string | undefined): GraphNode {
      const found = key === undefined ? undefined : childOf(parent, key);
      if (found) return found;
      const what =
        key === undefined
          ? 'has no initial node'
          : `has "${key}" as its initial node, and there is no such node in it`;
      throw new ChartError('chart/unknown-target', `The node "${idOf(parent)}" ${what}.`);
    },
  };
}

/** The id of a node; the default one when it has none. */
export function idOf(placed: GraphNode): string {
  return placed.node.id ?? defaultIdOf(placed);
}

/** The id that XState gives a node without one: the id of the chart and the keys of the node, joined by dots. */
export function defaultIdOf({ node, key, parent }: GraphNode): string {
  return parent ? `${defaultIdOf(parent)}.${key}` : node.id!;
}

/** Returns whether a node can ever be active. */
export type Reachable = (node: GraphNode) => boolean;

/**
 * Follows every path of initials and transitions from the chart's start. Assumes that guards may hold, events may come and calls
 * may be answered, so a node that is not reached here cannot be reached. A transition with several targets is followed target by
 * target. So a region that one of them names counts as entered at its initial too, which errs on the safe side.
 *
 * Entering a node goes two ways. Downwards: a compound enters its initial, a parallel all its regions. Upwards: the ancestors
 * become active too, up to the one that holds the source of the transition, and each parallel among them enters its other
 * regions. Every node is entered once and climbed over once, so the time is linear.
 */
export function reachable(nodes: readonly GraphNode[]): Reachable {
  const active = new Uint8Array(nodes.length);
  const entered = new Uint8Array(nodes.length);
  /** Parents whose history node is reached: any child that can be active can also be entered again. */
  const restorable = new Uint8Array(nodes.length);
  const toEnter: GraphNode[] = [];
  const toLeave: GraphNode[] = [];
  const climb = climber(nodes);
  /** The region through which a parallel was first entered from below. */
  const enteredThrough = new Map<GraphNode, GraphNode>();

  const enter = (node: GraphNode) => {
    if (entered[node.index] === 1) return;
    entered[node.index] = 1;
    toEnter.push(node);
  };
  const activate = (node: GraphNode) => {
    if (active[node.index] === 1) return;
    active[node.index] = 1;
    toLeave.push(node);
    if (node.parent && restorable[node.parent.index] === 1) enter(node);
  };
  const enterInside = (node: GraphNode) => {
    if (node.initial) enter(node.initial);
    if (node.kind === 'parallel') for (const region of node.children) enterRegion(region);
    if (node.kind !== 'history' || !node.parent) return;
    restorable[node.parent.index] = 1;
    enter(node.parent);
    for (const sibling of node.parent.children) if (active[sibling.index] === 1) enter(sibling);
  };
  const enterRegion = (region: GraphNode) => {
    if (region.kind !== 'history') enter(region);
  };
  const passThrough = (node: GraphNode) => {
    activate(node);
    if (node.parent?.kind !== 'parallel') return;
    const first = enteredThrough.get(node.parent);
    if (first) return enterRegion(first);
    enteredThrough.set(node.parent, node);
    for (const region of node.parent.children) if (region !== node) enterRegion(region);
  };

  enter(nodes[0]!);
  while (toEnter.length > 0 || toLeave.length > 0) {
    const entering = toEnter.pop();
    if (entering) {
      activate(entering);
      enterInside(entering);
      continue;
    }
    const source = toLeave.pop()!;
    for (const { edges } of source.lists) {
      for (const { targets } of edges) {
        for (const target of targets) {
          enter(target);
          climb(source, target, passThrough);
        }
      }
    }
  }
  return (node) => active[node.index] === 1;
}

/** Visits a target and its ancestors below the ancestor that holds the source. Each node is visited once in all. */
function climber(nodes: readonly GraphNode[]) {
  /** Leads from a visited node towards the next unvisited ancestor; shortened as it is used. */
  const above: (GraphNode | undefined)[] = [...nodes];
  const unvisitedFrom = (from: GraphNode | undefined): GraphNode | undefined => {
    let at = from;
    while (at !== undefined && above[at.index] !== at) {
      const next = above[at.index];
      if (next !== undefined) above[at.index] = above[next.index];
      at = next;
    }
    return at;
  };
  return (source: GraphNode, target: GraphNode, visit: (node: GraphNode) => void) => {
    let at = unvisitedFrom(target);
    while (at !== undefined && !contains(at, source)) {
      above[at.index] = at.parent;
      visit(at);
      at = unvisitedFrom(at.parent);
    }
  };
}
