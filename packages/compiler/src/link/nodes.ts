import type { Chart, ChartInvoke, Reference } from '../chart/chart.ts';
import type { Edge, GraphNode } from '../chart/graph.ts';
import { withTransitions } from '../chart/walk.ts';
import type { LinkedCall } from './fuse/microstep.ts';

/** The nodes of a chart as an XState config. */
export interface LinkedNodes {
  readonly root: object;
  readonly calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>;
  /** The charts that run for items, by the actor source that replaces them in the config. */
  readonly charts: ReadonlyMap<string, Chart>;
}

export function linkedNodes(
  root: GraphNode,
  transitionsOf: (edge: Edge) => readonly object[],
  inputOf: (reference: Reference) => LinkedCall['input'],
): LinkedNodes {
  const calls = new Map<GraphNode, readonly LinkedCall[]>();
  const charts = new Map<string, Chart>();
  // The input becomes a function, because XState would pass the reference itself as the input.
  const linkedCall = ({ chart, ...call }: ChartInvoke, path: string): LinkedCall => {
    const input = inputOf(call.input);
    if (!chart) return { ...call, input };
    const src = `each:${path}:${call.id}`;
    charts.set(src, chart);
    return { ...call, src, input };
  };
  const linkedNode = (placed: GraphNode, path: string): object => {
    const { node, lists, children } = placed;
    const { invoke, ...rest } = withTransitions(
      node,
      lists.map(({ edges }) => edges.flatMap(transitionsOf)),
    );
    const states = children.map((child) => [child.key, linkedNode(child, `${path}.${child.key}`)]);
    const called = invoke?.map((call) => linkedCall(call, path));
    if (called) calls.set(placed, called);
    return {
      ...rest,
      ...(called ? { invoke: called } : {}),
      ...(node.states ? { states: Object.fromEntries(states) } : {}),
    };
  };
  return { root: linkedNode(root, root.node.id!), calls, charts };
}
