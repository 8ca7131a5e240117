import type { Chart, Path } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { NodePlace } from '@dramaturg/compiler/machine';

/** A state as its author names it. `item` and `branch` are the indexes, from 0, of the item or branch inside it. */
export interface StateStep {
  readonly state: string;
  readonly item?: number;
  readonly branch?: number;
}

/** A state of a definition with the states around it, the outermost first. */
export interface StatePath {
  readonly path: readonly StateStep[];
  /** The path in the definition as authored; absent outside all states. */
  readonly origin?: Path;
}

/**
 * The path inside a node: states have an origin and a title, branches have only an origin. A node with the origin of the node
 * around it is a phase of the same state.
 */
export function pathInside(around: StatePath, { meta }: ChartNode): StatePath {
  const { origin, title } = meta ?? {};
  if (!origin || origin.length === 0 || isSame(origin, around.origin)) return around;
  if (typeof title === 'string') return { path: [...around.path, { state: title }], origin };
  const branch = origin.at(-1);
  const parent = around.path.at(-1);
  if (typeof branch !== 'number' || !parent) return around;
  return { path: [...around.path.slice(0, -1), { ...parent, branch }], origin };
}

/** The path inside the item of a state that runs items. */
export function pathInItem({ path, ...rest }: StatePath, item: number): StatePath {
  const parent = path.at(-1);
  return parent
    ? { ...rest, path: [...path.slice(0, -1), { ...parent, item }] }
    : { ...rest, path };
}

/** The path to a node; undefined when the chart does not have the node. */
export function pathToNode(chart: Chart, { node, place }: NodePlace): StatePath | undefined {
  return search(chart, { path: [] }, 0);

  function search(from: ChartNode, around: StatePath, depth: number): StatePath | undefined {
    const here = pathInside(around, from);
    if (from.id === node) return here;
    for (const child of Object.values(from.states ?? {})) {
      const found = search(child, here, depth);
      if (found) return found;
    }
    const item = place[depth];
    for (const { chart: ofItems } of from.invoke ?? []) {
      if (!ofItems) continue;
      const inside = item === undefined ? here : pathInItem(here, item);
      const found = search(ofItems, inside, depth + 1);
      if (found) return found;
    }
    return undefined;
  }
}

function isSame(one: Path, other: Path | undefined): boolean {
  return one.length === other?.length && one.every((key, index) => key === other[index]);
}
