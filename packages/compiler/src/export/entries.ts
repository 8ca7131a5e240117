import type { Chart } from '../chart/chart.ts';
import type { GraphNode } from '../chart/graph.ts';
import { isRecord } from '../json.ts';

/** A way into a chart besides its initial state. */
export interface Entry {
  /** When it is taken, such as `returning user`. */
  readonly name: string;
  /** The node of the chart that it leads to. */
  readonly target: GraphNode;
}

/**
 * The entries of a chart besides its initial state: `meta.entries` of the chart, each with a `name` and the id of its `target`. Those to
 * unknown nodes are left out, because `meta` is not checked.
 */
export function entriesOf({ meta }: Chart, nodes: readonly GraphNode[]): readonly Entry[] {
  const entries = meta?.['entries'];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown): Entry[] => {
    const { name, target: id } = isRecord(entry) ? entry : {};
    const target = nodes.find(({ node }) => node.id === id);
    return typeof name === 'string' && id !== undefined && target ? [{ name, target }] : [];
  });
}
