import type { Chart } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';

/** A node of a chart with its position. */
export interface PlacedNode {
  /** The id in the `nodes` of a snapshot. */
  readonly id: string;
  readonly key: string;
  readonly node: ChartNode;
  readonly parent: PlacedNode | undefined;
  readonly children: readonly PlacedNode[];
}

/** A transition with its event, which is empty for `always`. */
export interface PlacedTransition {
  readonly from: PlacedNode;
  readonly event: string;
  readonly transition: ChartTransition;
  /** Its index among the transitions of its node for the same event. */
  readonly index: number;
}

const known = new WeakMap<Chart, ReadonlyMap<string, PlacedNode>>();

/** The nodes of a chart by their ids. */
export function nodesOf(chart: Chart): ReadonlyMap<string, PlacedNode> {
  const found = known.get(chart);
  if (found) return found;
  const nodes = new Map<string, PlacedNode>();
  const place = (node: ChartNode, path: readonly string[], parent?: PlacedNode): PlacedNode => {
    const id = node.id ?? [chart.id, ...path].join('.');
    const children: PlacedNode[] = [];
    const placed = { id, key: path.at(-1) ?? '', node, parent, children };
    nodes.set(id, placed);
    for (const [key, child] of Object.entries(node.states ?? {}))
      children.push(place(child, [...path, key], placed));
    return placed;
  };
  place(chart, []);
  known.set(chart, nodes);
  return nodes;
}

/** The name of a node for people: its title, else its key. */
export function titleOf({ node, key, id }: PlacedNode): string {
  const title = node.meta?.['title'];
  if (typeof title === 'string' && title.trim() !== '') return title;
  return key === '' ? id : decoded(key);
}

/** The author's name that a key was made from. */
function decoded(key: string): string {
  return key.replace(/%([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}

export function isAuthored({ node, parent }: PlacedNode): boolean {
  return parent !== undefined && (node.meta?.origin?.length ?? 0) > 0;
}

/** Whether a chart was compiled from a definition: only then do its nodes have origins. */
export function isCompiled(chart: Chart): boolean {
  return chart.format !== 'xstate' || chart.meta?.origin !== undefined;
}

/** The transitions of a node, in the order in which they are tried. */
export function transitionsOf(from: PlacedNode): readonly PlacedTransition[] {
  const { always = [], on = {}, onDone = [], invoke = [] } = from.node;
  const list = (event: string, transitions: readonly ChartTransition[]) =>
    transitions.map((transition, index) => ({ from, event, transition, index }));
  return [
    ...list('', always),
    ...Object.entries(on).flatMap(([event, transitions]) => list(event, transitions)),
    ...list('xstate.done.state', onDone),
    ...invoke.flatMap(({ id, onDone: done, onError: failed }) => [
      ...list(`xstate.done.actor.${id}`, done),
      ...list(`xstate.error.actor.${id}`, failed),
    ]),
  ];
}

/** The ids of the targets of a transition. */
export function targetIdsOf({ from, transition }: PlacedTransition): readonly string[] {
  return [transition.target ?? []].flat().map((target) => {
    if (target.startsWith('#')) return target.slice(1);
    if (target.startsWith('.')) return `${from.id}${target}`;
    const sibling = from.parent?.children.find(({ key }) => key === target);
    return sibling?.id ?? target;
  });
}
