import type { Chart } from '@dramaturg/compiler';
import { type ChartNode, nodeKey, nodeName } from '@dramaturg/compiler/chart';

/** The keys of a node from the root of its chart. */
export type NodeKeys = readonly string[];

/** Finds the nodes of a chart by their keys and ids, and the node of another chart that has the place of one. */
export class ChartPlaces {
  readonly chart: Chart;
  readonly #keys = new Map<string, NodeKeys>();

  constructor(chart: Chart) {
    this.chart = chart;
    const pending: [ChartNode, NodeKeys][] = [[chart, []]];
    for (const [node, keys] of pending) {
      this.#keys.set(this.idAt(keys, node), keys);
      for (const [key, child] of Object.entries(node.states ?? {}))
        pending.push([child, [...keys, key]]);
    }
  }

  nodeAt(keys: NodeKeys): ChartNode | undefined {
    let at: ChartNode | undefined = this.chart;
    for (const key of keys) at = at && ownNode(at, key);
    return at;
  }

  /** The id of a node as XState has it. */
  idAt(keys: NodeKeys, node = this.nodeAt(keys)): string {
    return node?.id ?? [this.chart.id, ...keys].join('.');
  }

  keysOf(id: string): NodeKeys | undefined {
    return this.#keys.get(id);
  }
}

/** The child of a node. Keys are authored names, so only own ones count (H8). */
export function ownNode({ states = {} }: ChartNode, key: string): ChartNode | undefined {
  return Object.hasOwn(states, key) ? states[key] : undefined;
}

/** The key of a node in the new version of its chart: its own, unless it was renamed. */
export function newKeyOf(
  key: string,
  around: ChartNode | undefined,
  names: Readonly<Record<string, string>> = {},
): string {
  if (around && ownNode(around, key)) return key;
  const old = nodeName({}, key);
  return Object.hasOwn(names, old) ? nodeKey(names[old]!) : key;
}

/** A state as people call it: the nearest node around it that the author wrote, or else the definition. */
export function authoredName(places: ChartPlaces, keys: NodeKeys): string {
  for (let length = keys.length; length > 0; length -= 1) {
    const node = places.nodeAt(keys.slice(0, length));
    if (node?.meta?.origin && node.meta.origin.length > 0) return nodeName({}, keys[length - 1]!);
  }
  return nodeName(places.chart, '');
}
