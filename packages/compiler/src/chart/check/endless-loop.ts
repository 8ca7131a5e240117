import type { Report } from '../../format.ts';
import type { Path } from '../../path.ts';
import type { ChartTransition } from '../chart.ts';
import type { Edge, GraphNode } from '../graph.ts';
import { nodeName } from '../node-name.ts';
import { endlessLoop } from '../problems.ts';
import type { Reachable } from './reachable.ts';

/** How many of a loop's transitions are shown besides the first. */
const relatedLimit = 5;

/** The transition that is certain to be taken at a resting place, and the next resting place. */
interface Step {
  readonly source: GraphNode;
  readonly edge: Edge;
  readonly next: GraphNode;
}

/**
 * Reports states that lead to each other endlessly. XState takes `always` transitions before it looks at any event, so a loop of
 * unguarded ones never ends and no event can end it. Reports only certain loops: each resting place (an atomic or parallel node,
 * entered through initials) has at most one step that it must take, and a loop is a place that its own steps lead back to.
 * Anything that might end the loop makes the step uncertain, such as a guard that may hold or an `always` of another region that
 * leaves the common parallel node. An `always` to the node itself counts, although XState 5.33 lets it rest while nothing
 * changes; one without a target does not count, because its actions may change nothing.
 */
export function alwaysComesToRest(
  nodes: readonly GraphNode[],
  canBeActive: Reachable,
  report: Report,
): void {
  if (!nodes.some((node) => node.node.always)) return;
  const stepFrom = certainSteps(nodes);
  const visitedBy = new Map<GraphNode, GraphNode>();
  for (const start of nodes) {
    if (!canBeActive(start) || start.kind === 'compound' || visitedBy.has(start)) continue;
    let at: GraphNode | undefined = start;
    while (at !== undefined && !visitedBy.has(at)) {
      visitedBy.set(at, start);
      at = stepFrom(at)?.next;
    }
    if (at !== undefined && visitedBy.get(at) === start) reportLoop(loopFrom(at, stepFrom), report);
  }
}

function loopFrom(start: GraphNode, stepFrom: (place: GraphNode) => Step | undefined): Step[] {
  const steps: Step[] = [];
  let at = start;
  do {
    const step = stepFrom(at)!;
    steps.push(step);
    at = step.next;
  } while (at !== start);
  return steps;
}

function reportLoop(steps: readonly Step[], report: Report): void {
  const first = nearestOrigin(steps[0]!.source, steps[0]!.edge.transition);
  const seen = new Set([pathKey(first)]);
  const related: { path: typeof first; message: string }[] = [];
  for (const { source, edge } of steps) {
    const path = nearestOrigin(source, edge.transition);
    if (related.length === relatedLimit || seen.has(pathKey(path))) continue;
    seen.add(pathKey(path));
    related.push({ path, message: `From "${nameOf(source)}" it goes on here.` });
  }
  const follows = steps.map(({ source, edge }) => nearestOrigin(source, edge.transition));
  report(endlessLoop(steps.map(({ source }) => nameOf(source))), first, {
    ...(related.length > 0 ? { related } : {}),
    follows,
  });
}

function certainSteps(nodes: readonly GraphNode[]): (place: GraphNode) => Step | undefined {
  const { always, leaving } = regionsThatMove(nodes);
  /** The nearest node with `always`: the node itself or an ancestor. XState asks from the inside out. */
  const mover: (GraphNode | undefined)[] = [];
  /** True when a region next to the node, below its mover, may move before the mover does. */
  const overtaken: boolean[] = [];
  /** True when a region next to the node or an ancestor may take the actor out of their parallel node. */
  const takenOut: boolean[] = [];
  for (const node of nodes) {
    const { index, parent } = node;
    const moves = (node.node.always ?? []).length > 0;
    const beside = parent?.kind === 'parallel' ? parent : undefined;
    mover[index] = moves ? node : parent && mover[parent.index];
    overtaken[index] =
      !moves &&
      parent !== undefined &&
      (overtaken[parent.index]! || (beside !== undefined && always.beside(node)));
    takenOut[index] =
      parent !== undefined &&
      (takenOut[parent.index]! || (beside !== undefined && leaving.beside(node)));
  }
  return (place) => {
    const source = mover[place.index];
    if (!source || place.kind === 'final' || place.kind === 'history') return undefined;
    if (overtaken[place.index] || takenOut[place.index]) return undefined;
    if (place.kind === 'parallel' && always.inside(place)) return undefined;
    const edge = source.lists[0]!.edges[0]!;
    const [target, ...others] = edge.targets;
    if (edge.transition.guard || !target || others.length > 0) return undefined;
    const next = restingPlace(target);
    return next && { source, edge, next };
  };
}

/** Where the actor is once a node is entered; undefined when that depends on the past. */
function restingPlace(entered: GraphNode): GraphNode | undefined {
  let at: GraphNode | undefined = entered;
  while (at?.kind === 'compound') at = at.initial;
  return at?.kind === 'history' ? undefined : at;
}

/** The regions that have an `always` inside, and the regions with an `always` that leads out of them. */
function regionsThatMove(nodes: readonly GraphNode[]) {
  const always = regionCount();
  const leaving = regionCount();
  /** For each subtree with an `always`, the stretch of document order that their targets span. */
  const spans: ({ from: number; to: number } | undefined)[] = [];
  const widen = (index: number, from: number, to: number) => {
    const span = (spans[index] ??= { from, to });
    span.from = Math.min(span.from, from);
    span.to = Math.max(span.to, to);
  };
  for (const node of nodes.toReversed()) {
    const { index, end, parent } = node;
    if ((node.node.always ?? []).length > 0) {
      widen(index, index, index);
      for (const { targets } of node.lists[0]!.edges)
        for (const target of targets) widen(index, target.index, target.index);
    }
    const span = spans[index];
    if (!span || !parent) continue;
    widen(parent.index, span.from, span.to);
    always.add(node);
    if (span.from < index || span.to > end) leaving.add(node);
  }
  return { always, leaving };
}

function regionCount() {
  const marked = new Set<GraphNode>();
  const inParent = new Map<GraphNode, number>();
  return {
    add(node: GraphNode) {
      marked.add(node);
      inParent.set(node.parent!, (inParent.get(node.parent!) ?? 0) + 1);
    },
    inside: (parent: GraphNode) => inParent.has(parent),
    beside: (node: GraphNode) => (inParent.get(node.parent!) ?? 0) > (marked.has(node) ? 1 : 0),
  };
}

/** The place in the definition: the origin of the transition, else of its node, else of the nearest ancestor with one. */
function nearestOrigin(node: GraphNode, transition?: ChartTransition): Path {
  if (transition?.meta?.origin) return transition.meta.origin;
  for (let at: GraphNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.node.meta?.origin) return at.node.meta.origin;
  }
  return [];
}

/** Returns equal strings for equal paths. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

export function nameOf(node: GraphNode): string {
  return nodeName(node.node, node.key);
}
