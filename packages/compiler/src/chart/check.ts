import { restingTag } from '../contract/states.ts';
import { rootsOf } from '../directed-graph.ts';
import type { Pattern, Report } from '../format.ts';
import type { Json, JsonObject, Path } from '../json.ts';
import type { Chart, ChartTransition, Reference } from './chart.ts';
import {
  chartGraph,
  chartsOf,
  deadEnd,
  type Edge,
  endlessLoop,
  type GraphNode,
  nodeName,
  type Reachable,
  reachable,
  shadowedTransition,
  unreachableState,
} from './graph.ts';

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
function alwaysComesToRest(
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
function pathKey(path: Path): string {
  return JSON.stringify(path);
}

function nameOf(node: GraphNode): string {
  return nodeName(node.node, node.key);
}

/**
 * Reports dead ends: states of an author in which nothing can happen, because no event is handled, no call runs, and the state is
 * not final. Counts generously, because a false alarm is worse than a miss: any transition of the node or of an ancestor with a
 * target or an action counts, and so does any node that can be active in another region of a parallel ancestor, even at another
 * moment. Completion (`onDone`) of the node or an ancestor does not count: it follows from a final node being entered, which
 * needs something else to happen first.
 */
function statesGoOn(nodes: readonly GraphNode[], canBeActive: Reachable, report: Report): void {
  const goesOn = nodes.map((node) => canBeActive(node) && canGoOn(node));
  /** For each node, how many of its children contain a node in which something can happen. */
  const livelyChildren = new Uint32Array(nodes.length);
  const lively = (node: GraphNode) => goesOn[node.index]! || livelyChildren[node.index]! > 0;
  for (let index = nodes.length - 1; index > 0; index -= 1) {
    const node = nodes[index]!;
    if (lively(node)) livelyChildren[node.parent!.index]! += 1;
  }
  /** True when something can happen in the node, an ancestor or a neighbouring region. Parents come before their children. */
  const carried: boolean[] = [];
  for (const node of nodes) {
    const { parent, index } = node;
    carried[index] = goesOn[index]!;
    if (parent) {
      const others = livelyChildren[parent.index]! - (lively(node) ? 1 : 0);
      carried[index] ||= carried[parent.index]! || (parent.kind === 'parallel' && others > 0);
    }
    const origin = node.node.meta?.origin;
    if (node.kind !== 'atomic' || carried[index] || !origin || !canBeActive(node)) continue;
    report(deadEnd(nameOf(node)), origin);
  }
}

function canGoOn({ node }: GraphNode): boolean {
  if (node.tags?.includes(restingTag)) return true;
  if (node.invoke && node.invoke.length > 0) return true;
  if (node.always?.some(changesSomething)) return true;
  return (
    node.on !== undefined &&
    Object.values(node.on).some((transitions) => transitions.some(changesSomething))
  );
}

function changesSomething({ target, actions }: ChartTransition): boolean {
  return (
    (target !== undefined && target.length > 0) || (actions !== undefined && actions.length > 0)
  );
}

/**
 * Reports transitions that an earlier one hides. Candidates for an event are tried in order, so a candidate without a guard, or
 * with an equal guard, always wins. Reports only what an author wrote: lowering may add a fallback of its own at the end of a
 * list, or make several candidates of one authored transition.
 */
function transitionsAreNotShadowed(nodes: readonly GraphNode[], report: Report): void {
  for (const node of nodes) {
    for (const { edges } of node.lists) if (edges.length > 1) checkList(edges, report);
  }
}

function checkList(edges: readonly Edge[], report: Report): void {
  const guarded = new Map<string, Edge>();
  let unguarded: Edge | undefined;
  for (const [index, edge] of edges.entries()) {
    const { guard } = edge.transition;
    if (unguarded) reportShadowed(edge, unguarded, report);
    else if (!guard) unguarded = edge;
    // The usual list, one guarded candidate and a fallback, has no guards to compare.
    else if (index > 0 || edges[index + 1]?.transition.guard) {
      const key = guardKey(guard);
      const earlier = guarded.get(key);
      if (earlier) reportShadowed(edge, earlier, report);
      else guarded.set(key, edge);
    }
  }
}

function reportShadowed(shadowed: Edge, earlier: Edge, report: Report): void {
  const origin = shadowed.transition.meta?.origin;
  const earlierOrigin = earlier.transition.meta?.origin;
  if (!origin || (earlierOrigin && pathKey(origin) === pathKey(earlierOrigin))) return;
  const why = earlier.transition.guard ? 'has the same condition' : 'has no condition';
  const related = earlierOrigin && [{ path: earlierOrigin, message: 'This one is taken instead.' }];
  const follows = earlierOrigin ? [origin, earlierOrigin] : [origin];
  report(shadowedTransition(why), origin, { ...(related ? { related } : {}), follows });
}

/** Returns equal strings for equal guards, in any order of their params' keys. Iterative: params may nest deeply. */
function guardKey(guard: Reference): string {
  let text = guard.type;
  const pending: { write?: string; value?: Json | undefined }[] = [{ value: guard.params ?? {} }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { write, value } = next;
    if (write !== undefined) text += write;
    else if (Array.isArray(value)) {
      text += '[';
      pending.push({ write: ']' });
      for (const item of value.toReversed()) pending.push({ write: ',' }, { value: item });
    } else if (typeof value === 'object' && value !== null) {
      const record = value as JsonObject;
      text += '{';
      pending.push({ write: '}' });
      for (const key of Object.keys(record).toSorted().toReversed()) {
        if (record[key] !== undefined)
          pending.push(
            { write: ',' },
            { value: record[key] },
            { write: `${JSON.stringify(key)}:` },
          );
      }
    } else text += JSON.stringify(value);
  }
  return text;
}

interface Unreached {
  readonly node: GraphNode;
  readonly origin: Path;
}

/**
 * Reports states of the author that cannot be entered. It skips states inside an unreachable state, and states with
 * another node from the same path that can be entered. Of states that lead to one another it reports only the first: a
 * transition to it makes the others reachable. All reports have one topic, because one missing transition can make
 * several states unreachable.
 */
function statesAreReachable(
  nodes: readonly GraphNode[],
  canBeActive: Reachable,
  report: Report,
): void {
  const unreached = unreachedIn(nodes, canBeActive);
  if (unreached.length === 0) return;
  const ids = unreached.map((_, index) => String(index));
  const next = leadsTo(nodes, unreached);
  for (const id of rootsOf(ids, (one) => next[Number(one)]!)) {
    const { node, origin } = unreached[Number(id)]!;
    report(unreachableState(nameOf(node)), origin, { topic: 'unreachable' });
  }
}

function unreachedIn(nodes: readonly GraphNode[], canBeActive: Reachable): Unreached[] {
  const unreached: Unreached[] = [];
  let reached: Set<string> | undefined;
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index]!;
    const origin = node.node.meta?.origin;
    if (canBeActive(node) || !origin) continue;
    reached ??= originsOf(nodes.filter(canBeActive));
    if (!reached.has(pathKey(origin))) unreached.push({ node, origin });
    reached.add(pathKey(origin));
    index = node.end;
  }
  return unreached;
}

/** For each unreached state, the indexes of the other unreached states that its transitions lead to. */
function leadsTo(nodes: readonly GraphNode[], unreached: readonly Unreached[]): string[][] {
  const ownerOf = new Map<GraphNode, string>();
  const subtrees = unreached.map(({ node }) => nodes.slice(node.index, node.end + 1));
  for (const [index, inside] of subtrees.entries())
    for (const node of inside) ownerOf.set(node, String(index));
  return subtrees.map((inside) =>
    inside
      .flatMap(({ lists }) => lists.flatMap(({ edges }) => edges.flatMap(({ targets }) => targets)))
      .flatMap((target) => ownerOf.get(target) ?? []),
  );
}

function originsOf(nodes: readonly GraphNode[]): Set<string> {
  const origins = new Set<string>();
  for (const { node } of nodes) if (node.meta?.origin) origins.add(pathKey(node.meta.origin));
  return origins;
}

/**
 * Checks a chart of any format. Problems are reported at `meta.origin`, the part of the definition that the node was
 * lowered from.
 *
 * @param wiring where the definition says which state leads to which; anywhere when absent
 * @throws ChartError when a target does not name a node: a bug of the lowering, not a mistake of the author
 */
export function checkChart(chart: Chart, report: Report, wiring: readonly Pattern[] = [[]]): void {
  const reportWiring: Report = (problem, path, details) =>
    report(problem, path, { ...details, follows: wiring });
  for (const each of chartsOf(chart)) checkAlone(each, report, reportWiring);
}

/** Checks one chart. A chart for items starts in its own root, even if the node that runs it is unreachable. */
function checkAlone(chart: Chart, report: Report, reportWiring: Report): void {
  const nodes = chartGraph(chart);
  const canBeActive = reachable(nodes);
  statesAreReachable(nodes, canBeActive, reportWiring);
  statesGoOn(nodes, canBeActive, reportWiring);
  transitionsAreNotShadowed(nodes, report);
  alwaysComesToRest(nodes, canBeActive, report);
}
