import { contains, type Edge, type GraphNode } from '../../chart/graph.ts';
import { descriptors, isWildcard } from './descriptors.ts';
import { domainOf, isAncestor, isInRegion, isPlain, isPlainBetween, leafOf } from './domain.ts';

/** A sequence of steps without input from outside: from a transient node, through others, to a transition that leaves them. */
export interface Run {
  readonly first: Transient;
  /** The nodes that it may pass through. */
  readonly through: ReadonlySet<Transient>;
}

/** The run that a transition starts. */
export interface PlannedRun extends Run {
  readonly edge: Edge;
  /** Targets of the transitions that end the run, in the order in which they are found. */
  readonly ends: ReadonlyMap<GraphNode, RunEnd>;
}

/** How XState must go from the source to an end, so that it leaves and enters the same nodes as the run. */
interface RunEnd {
  readonly index: number;
  readonly reenter: boolean;
}

/** Plans grow with nodes times transitions. A longer run is fused in parts. */
const runNodesMax = 256;
const runEndsMax = 32;

/**
 * Plans a run for each transition that can be fused with the run it starts.
 *
 * Invariant: only the number of steps changes. The same nodes end up left and entered, actions keep their order, and the
 * actor rests in the same node. Transitions that XState can never take are skipped: those of a transient node that is
 * entered only inside runs.
 *
 * @returns undefined for a chart with a history node, because history records nodes in the middle of a run
 */
export function planRuns(nodes: readonly GraphNode[]): ReadonlyMap<Edge, PlannedRun> | undefined {
  if (nodes.some(({ kind }) => kind === 'history')) return undefined;
  const plans = new Map<Edge, PlannedRun>();
  const transients = transientNodes(nodes);
  const planner = new Planner(nodes, transients);
  const isHandledAlone = handledAloneCheck();

  const pending: GraphNode[] = [];
  const entered = new Set<GraphNode>();
  const enter = (target: GraphNode) => {
    for (let at: GraphNode | undefined = target; at && !entered.has(at); at = at.parent) {
      entered.add(at);
      pending.push(at);
    }
  };
  const look = (node: GraphNode) => {
    for (const [list, { edges }] of node.lists.entries()) {
      const mayFuse = edges.length > 0 && isHandledAlone(node, list);
      for (const edge of edges) {
        const plan = mayFuse ? planner.plan(node, edge) : undefined;
        if (plan) plans.set(edge, plan);
        for (const target of plan ? plan.ends.keys() : edge.targets) enter(target);
      }
    }
  };

  enter(nodes[0]!);
  for (const node of nodes) if (!transients.has(node)) look(node);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.initial) enter(node.initial);
    if (node.kind === 'parallel') for (const region of node.children) enter(region);
    if (transients.has(node)) look(node);
  }
  return plans;
}

class Planner {
  readonly #transients: ReadonlyMap<GraphNode, Transient>;
  /** The number of nodes with exit actions before each node, in document order. */
  readonly #exits: number[] = [0];

  constructor(nodes: readonly GraphNode[], transients: ReadonlyMap<GraphNode, Transient>) {
    this.#transients = transients;
    for (const { node } of nodes) this.#exits.push(this.#exits.at(-1)! + (node.exit ? 1 : 0));
  }

  plan(source: GraphNode, edge: Edge): PlannedRun | undefined {
    if (edge.targets.length !== 1) return undefined;
    const target = edge.targets[0]!;
    const first = this.#transients.get(leafOf(target));
    const domain = domainOf(source, target, edge.transition.reenter);
    if (!first || !domain || !first.isEnteredAlone(domain)) return undefined;
    const through = throughNodes(first);
    const ends = this.#ends(source, domain, through);
    return ends && { edge, first, through, ends };
  }

  /** The ends of a run; undefined when a single transition to one of them would not equal the separate steps. */
  #ends(
    source: GraphNode,
    start: GraphNode,
    through: ReadonlySet<Transient>,
  ): ReadonlyMap<GraphNode, RunEnd> | undefined {
    const ends = new Map<GraphNode, RunEnd>();
    for (const { target, domain } of endingTransitions(through)) {
      const known = ends.get(target);
      const reenter = (known ? [known.reenter] : [false, true]).find(
        (reentering) => domain && this.#isSame(source, target, reentering, [start, domain]),
      );
      if (reenter === undefined) return undefined;
      if (!known) ends.set(target, { index: ends.size, reenter });
    }
    return ends.size > 0 ? ends : undefined;
  }

  /**
   * Whether a transition to the end leaves the same nodes as the first and the last transition of the run. The transitions in
   * between leave plain nodes only, and the entered nodes follow from the left ones. No exit action may be involved, because
   * XState would execute it before the actions of the run.
   */
  #isSame(
    source: GraphNode,
    target: GraphNode,
    reenter: boolean,
    domains: readonly GraphNode[],
  ): boolean {
    const domain = domainOf(source, target, reenter);
    if (!domain || this.#exitsWithin(source)) return false;
    // XState orders active nodes by entry, but keeps the old order when the same nodes are active again.
    if (contains(source, leafOf(target)) && isInRegion(source)) return false;
    for (let at: GraphNode | undefined = source; at !== undefined; at = at.parent) {
      const isLeft = isAncestor(domain, at);
      const wasLeft = domains.some((other) => isAncestor(other, at));
      if (isLeft !== wasLeft && !isPlain(at)) return false;
      if (!isLeft && !wasLeft) continue;
      // A region is left together with the others.
      if (at.parent?.kind === 'parallel' ? this.#exitsWithin(at.parent) : at.node.exit)
        return false;
    }
    return true;
  }

  #exitsWithin({ index, end }: GraphNode): boolean {
    return this.#exits[end + 1]! > this.#exits[index]!;
  }
}

function endingTransitions(through: ReadonlySet<Transient>): readonly TransientTransition[] {
  return Array.from(through).flatMap(({ transitions }) =>
    transitions.filter(({ next }) => !next || !through.has(next)),
  );
}

/**
 * The nodes that a run may pass through: the transient nodes reachable from the first one, nearest first, except those that
 * would add too many ends. Empty when the first one itself has too many.
 */
function throughNodes(first: Transient): ReadonlySet<Transient> {
  const through = new Set<Transient>();
  const found = new Set([first]);
  const ends = new Set<GraphNode>();
  for (const transient of found) {
    if (through.size === runNodesMax) break;
    const nexts = new Set<Transient>();
    const others = new Set<GraphNode>();
    for (const { target, next } of transient.transitions) {
      if (!next) others.add(target);
      else if (!found.has(next)) nexts.add(next);
    }
    const open = found.size - through.size - 1 + nexts.size;
    if (open + new Set([...ends, ...others]).size > runEndsMax) {
      if (transient === first) break;
      continue;
    }
    through.add(transient);
    for (const next of nexts) found.add(next);
    for (const end of others) ends.add(end);
  }
  return through;
}

/**
 * A node that needs nothing from outside: it is atomic, has no calls and no events, and is left immediately, because the last
 * of its `always` transitions has no guard.
 */
export class Transient {
  readonly node: GraphNode;
  readonly transitions: TransientTransition[] = [];

  constructor(node: GraphNode) {
    this.node = node;
  }

  /** Whether a transition with this domain enters only plain nodes besides this one. */
  isEnteredAlone(domain: GraphNode): boolean {
    // All regions of a parallel domain are entered again.
    return domain.kind !== 'parallel' && isPlainBetween(this.node, domain);
  }
}

/** A transition of a transient node. */
export interface TransientTransition {
  readonly edge: Edge;
  readonly target: GraphNode;
  readonly domain: GraphNode | undefined;
  /** The transient target, when the transition leaves and enters only plain nodes besides these two. */
  readonly next: Transient | undefined;
}

function transientNodes(nodes: readonly GraphNode[]): ReadonlyMap<GraphNode, Transient> {
  const transients = new Map<GraphNode, Transient>();
  for (const node of nodes) if (isTransient(node)) transients.set(node, new Transient(node));
  for (const transient of transients.values()) {
    for (const edge of transient.node.lists[0]!.edges)
      transient.transitions.push(transitionOf(transient, edge, transients));
  }
  return transients;
}

function transitionOf(
  { node }: Transient,
  edge: Edge,
  transients: ReadonlyMap<GraphNode, Transient>,
): TransientTransition {
  const target = edge.targets[0]!;
  const domain = domainOf(node, target, edge.transition.reenter);
  const next = transients.get(leafOf(target));
  const isStep = next && domain && isPlainBetween(node, domain) && next.isEnteredAlone(domain);
  return { edge, target, domain, next: isStep ? next : undefined };
}

function isTransient(placed: GraphNode): boolean {
  const { kind, node, lists } = placed;
  if (kind !== 'atomic' || !node.always || lists.length !== 1 || node.invoke) return false;
  const { edges } = lists[0]!;
  if (edges.length === 0 || edges.at(-1)!.transition.guard) return false;
  // XState lets a node that leads to itself rest while nothing changes.
  return edges.every(({ targets }) => targets.length === 1 && leafOf(targets[0]!) !== placed);
}

/** Tells whether no other region takes a transition in the same step as this list of a node. */
type HandledAloneCheck = (node: GraphNode, list: number) => boolean;

/**
 * Regions take their transitions for one event in the same step, and then `always` transitions in lockstep. Fusing a run in
 * one region would change the order of emitted events, and how far the other regions get before one of them leaves the
 * parallel node. So inside a region, only events that no other region handles are fused, and never `always`.
 */
function handledAloneCheck(): HandledAloneCheck {
  const handled = new Map<GraphNode, HandledEvents>();
  return (node, list) => {
    let region = node;
    for (let parent = node.parent; parent !== undefined; region = parent, parent = parent.parent) {
      if (parent.kind !== 'parallel') continue;
      const descriptor = descriptors(node)[list]!;
      if (descriptor === '') return false;
      let known = handled.get(parent);
      if (!known) handled.set(parent, (known = new HandledEvents(parent)));
      if (!known.onlyBy(region, descriptor)) return false;
    }
    return true;
  };
}

/** Which events are handled in which regions of a parallel node. */
class HandledEvents {
  /** Undefined when several regions handle the event. */
  readonly #exactly = new Map<string, GraphNode | undefined>();
  readonly #byWildcard: { readonly region: GraphNode; readonly descriptor: string }[] = [];

  constructor(parallel: GraphNode) {
    for (const region of parallel.children) {
      const pending = [region];
      for (const node of pending) {
        for (const descriptor of descriptors(node)) this.#add(region, descriptor);
        for (const child of node.children) pending.push(child);
      }
    }
  }

  #add(region: GraphNode, descriptor: string): void {
    if (isWildcard(descriptor)) this.#byWildcard.push({ region, descriptor });
    const other = this.#exactly.has(descriptor) ? this.#exactly.get(descriptor) : region;
    this.#exactly.set(descriptor, other === region ? region : undefined);
  }

  onlyBy(region: GraphNode, descriptor: string): boolean {
    if (this.#exactly.get(descriptor) !== region) return false;
    const others = isWildcard(descriptor)
      ? Array.from(this.#exactly, ([key, by]) => ({ region: by, descriptor: key }))
      : this.#byWildcard;
    return !others.some(
      (other) => other.region !== region && overlap(other.descriptor, descriptor),
    );
  }
}

/** True when one event may match both, at least one of which is a wildcard. `a.*` matches `a` too. */
function overlap(a: string, b: string): boolean {
  const [first, second] = [stem(a), stem(b)];
  return (isWildcard(a) && second.startsWith(first)) || (isWildcard(b) && first.startsWith(second));
}

function stem(descriptor: string): string {
  return descriptor.replace(/\.?\*$/, '');
}
