import type { Edge, GraphNode } from '../../chart/graph.ts';
import { domainOf, isPlain, isWithin, leafOf } from './domain.ts';
import { movesAlone } from './regions.ts';
import { type Transient, transientNodes } from './transient.ts';

/** What a transition leads on to without anything from outside: a run through transient nodes, to one of its ends. */
export interface Plan {
  readonly edge: Edge;
  /** Where the run begins. */
  readonly first: Transient;
  /** What a run may go through. */
  readonly through: ReadonlySet<Transient>;
  /** Targets of the transitions that end a run, in the order in which they are found. */
  readonly ends: ReadonlyMap<GraphNode, End>;
}

/** How XState has to go from the source to an end, to leave and enter what the run would. */
interface End {
  readonly index: number;
  readonly reenter: boolean;
}

/** Plans grow with nodes times transitions. A run that would go on beyond this is fused in parts. */
const mostNodes = 256;
const mostEnds = 32;

/**
 * A plan for each transition of a chart that can be fused with the run it starts, such that nothing but the number of
 * steps is different: the same nodes are left and entered for good, actions come in the same order, and the actor rests
 * where it would rest. Only transitions that XState can come to take are looked at: those of a transient node are not
 * when it is entered within runs alone.
 */
export function plannedRuns(nodes: readonly GraphNode[]): ReadonlyMap<Edge, Plan> {
  const plans = new Map<Edge, Plan>();
  // A history node remembers what was active when its parent was left, also in the middle of a run.
  if (nodes.some(({ kind }) => kind === 'history')) return plans;
  const transients = transientNodes(nodes);
  const planner = new Planner(nodes, transients);
  const isAlone = movesAlone();

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
      const mayFuse = edges.length > 0 && isAlone(node, list);
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
  /** How many nodes before each, in document order, have exit actions. */
  readonly #exits: number[] = [0];

  constructor(nodes: readonly GraphNode[], transients: ReadonlyMap<GraphNode, Transient>) {
    this.#transients = transients;
    for (const { node } of nodes) this.#exits.push(this.#exits.at(-1)! + (node.exit ? 1 : 0));
  }

  plan(source: GraphNode, edge: Edge): Plan | undefined {
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
  ): ReadonlyMap<GraphNode, End> | undefined {
    const ends = new Map<GraphNode, End>();
    for (const { ways } of through) {
      for (const { target, next, domain } of ways) {
        if (next && through.has(next)) continue;
        const known = ends.get(target);
        const reenter = (known ? [known.reenter] : [false, true]).find(
          (reentering) => domain && this.#isSame(source, target, reentering, [start, domain]),
        );
        if (reenter === undefined) return undefined;
        if (!known) ends.set(target, { index: ends.size, reenter });
      }
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
    for (let at: GraphNode | undefined = source; at !== undefined; at = at.parent) {
      const isLeft = isWithin(domain, at);
      const wasLeft = domains.some((other) => isWithin(other, at));
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

/**
 * What a run may go through: the transient nodes that can be reached from one of them, nearest first, except those from
 * which it could come to too many others. None, when that is the first.
 */
function throughNodes(first: Transient): ReadonlySet<Transient> {
  const through = new Set<Transient>();
  const found = new Set([first]);
  const ends = new Set<GraphNode>();
  for (const transient of found) {
    if (through.size === mostNodes) break;
    const nexts = new Set<Transient>();
    const others = new Set<GraphNode>();
    for (const { target, next } of transient.ways) {
      if (!next) others.add(target);
      else if (!found.has(next)) nexts.add(next);
    }
    const open = found.size - through.size - 1 + nexts.size;
    if (open + new Set([...ends, ...others]).size > mostEnds) {
      if (transient === first) break;
      continue;
    }
    through.add(transient);
    for (const next of nexts) found.add(next);
    for (const end of others) ends.add(end);
  }
  return through;
}
