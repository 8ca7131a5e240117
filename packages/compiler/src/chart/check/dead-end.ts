import { restingTag } from '../../contract/tags.ts';
import type { Report } from '../../format.ts';
import type { ChartTransition } from '../chart.ts';
import type { GraphNode } from '../graph.ts';
import { deadEnd } from '../problems.ts';
import { nameOf } from './endless-loop.ts';
import type { Reachable } from './reachable.ts';

/**
 * Reports dead ends: states of an author in which nothing can happen, because no event is handled, no call runs, and the state is
 * not final. Counts generously, because a false alarm is worse than a miss: any transition of the node or of an ancestor with a
 * target or an action counts, and so does any node that can be active in another region of a parallel ancestor, even at another
 * moment. Completion (`onDone`) of the node or an ancestor does not count: it follows from a final node being entered, which
 * needs something else to happen first.
 */
export function statesGoOn(
  nodes: readonly GraphNode[],
  canBeActive: Reachable,
  report: Report,
): void {
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
