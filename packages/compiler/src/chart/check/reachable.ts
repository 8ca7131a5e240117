import { contains, type GraphNode } from '../graph.ts';

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
