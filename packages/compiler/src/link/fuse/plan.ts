import { contains, type Edge, type GraphNode } from '../../chart/graph.ts';
import { domainOf, isInRegion, isPlain, isAncestor, leafOf } from './domain.ts';
import { handledAloneCheck } from './regions.ts';
import { type Transient, transientNodes, type TransientTransition } from './transient.ts';

/** What needs nothing from outside: from one transient node on, through others, to a transition that leads elsewhere. */
export interface Run {
  readonly first: Transient;
  /** What it may go through. */
  readonly through: ReadonlySet<Transient>;
}

/** The run that a transition starts. */
export interface PlannedRun extends Run {
  readonly edge: Edge;
  /** Targets of the transitions that end the run, in the order in which they are found. */
  readonly ends: ReadonlyMap<GraphNode, RunEnd>;
}

export interface PlannedRuns {
  readonly byEdge: ReadonlyMap<Edge, PlannedRun>;
  /** The run with which an actor starts, when it starts with one. */
  readonly start: Run | undefined;
}

/** How XState has to go from the source to an end, to leave and enter what the run would. */
interface RunEnd {
  readonly index: number;
  readonly reenter: boolean;
}

/** Plans grow with nodes times transitions. A run that would go on beyond this is fused in parts. */
const runNodesMax = 256;
const runEndsMax = 32;

/**
 * A plan for each transition of a chart that can be fused with the run it starts, such that nothing but the number of
 * steps is different: the same nodes are left and entered for good, actions come in the same order, and the actor rests
 * where it would rest. Only transitions that XState can come to take are looked at: those of a transient node are not
 * when it is entered within runs alone.
 *
 * @returns nothing for a chart with a history node, which remembers what was active in the middle of a run
 */
export function planRuns(nodes: readonly GraphNode[]): PlannedRuns | undefined {
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
  return { byEdge: plans, start: planner.start(nodes[0]!) };
}

class Planner {
  readonly #transients: ReadonlyMap<GraphNode, Transient>;
  /** How many nodes before each, in document order, have exit actions. */
  readonly #exits: number[] = [0];

  constructor(nodes: readonly GraphNode[], transients: ReadonlyMap<GraphNode, Transient>) {
    this.#transients = transients;
    for (const { node } of nodes) this.#exits.push(this.#exits.at(-1)! + (node.exit ? 1 : 0));
  }

  start(root: GraphNode): Run | undefined {
    const first = this.#transients.get(leafOf(root));
    const through = first?.isEnteredAlone(root) ? throughNodes(first) : new Set<Transient>();
    return first && through.size > 0 ? { first, through } : undefined;
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

  /** The ends of a run; nothing when one of them cannot be gone to at once as if step by step. */
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
   * Whether a transition to the end leaves what is left step by step: by the first transition and by the last, because
   * those between leave plain nodes only. What is entered then follows. No exit action may be among it, because XState
   * would carry it out before those of the run.
   */
  #isSame(
    source: GraphNode,
    target: GraphNode,
    reenter: boolean,
    domains: readonly GraphNode[],
  ): boolean {
    const domain = domainOf(source, target, reenter);
    if (!domain || this.#exitsWithin(source)) return false;
    // XState keeps active nodes in the order in which they were entered, but not when all are as before.
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

/** The targets of the transitions that end a run. */
export function endsOf({ through }: Run): readonly GraphNode[] {
  return endingTransitions(through).map(({ target }) => target);
}

function endingTransitions(through: ReadonlySet<Transient>): readonly TransientTransition[] {
  return Array.from(through).flatMap(({ transitions }) =>
    transitions.filter(({ next }) => !next || !through.has(next)),
  );
}

/**
 * What a run may go through: the transient nodes that can be reached from one of them, nearest first, except those from
 * which it could come to too many others. None, when that is the first.
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
