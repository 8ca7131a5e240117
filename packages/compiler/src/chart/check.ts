import { restingTag } from '../contract/tags.ts';
import { rootsOf } from '../directed-graph.ts';
import type { Pattern, Report } from '../format.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Path } from '../path.ts';
import type { Chart, ChartTransition, Reference } from './chart.ts';
import { alwaysComesToRest, nameOf, pathKey } from './check/endless-loop.ts';
import { reachable, type Reachable } from './check/reachable.ts';
import { chartGraph, type Edge, type GraphNode } from './graph.ts';
import { deadEnd, shadowedTransition, unreachableState } from './problems.ts';
import { chartsOf } from './walk.ts';

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
