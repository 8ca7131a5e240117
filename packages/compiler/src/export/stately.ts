import type { Chart, ChartNode } from '../chart/chart.ts';
import type { JsonObject } from '../json.ts';

/**
 * Converts a chart to a machine config that Stately's editor imports and `createMachine` of XState 5 accepts. Fields that
 * only `link` understands (such as a context that is a name) move into `meta.dramaturg`, which tools show and ignore: the
 * chart's own fields into the root's, and the inputs of calls into the node's, by call id. Charts that `each` runs for
 * items move too, each converted in the same way.
 */
export function toStately(chart: Chart): JsonObject {
  const { chart: version, format, context, output, ...root } = chart;
  return plainNode(root, { chart: version, format, context, output } as unknown as JsonObject);
}

function plainNode(node: ChartNode, ours: JsonObject = {}): JsonObject {
  const { invoke, states, meta, ...rest } = node;
  const calls = invoke?.map(({ id, src, onDone, onError }) => ({ id, src, onDone, onError }));
  const inputs = invoke && Object.fromEntries(invoke.map(({ id, input }) => [id, input]));
  const charts = invoke?.flatMap(({ id, chart }) => (chart ? [[id, toStately(chart)]] : [])) ?? [];
  const children =
    states &&
    Object.fromEntries(Object.entries(states).map(([key, child]) => [key, plainNode(child)]));
  const moved = {
    ...ours,
    ...(inputs ? { inputs } : {}),
    ...(charts.length > 0 ? { charts: Object.fromEntries(charts) } : {}),
  };
  const plain = {
    ...rest,
    ...(calls ? { invoke: calls } : {}),
    ...(children ? { states: children } : {}),
    ...(Object.keys(moved).length > 0
      ? { meta: { ...meta, dramaturg: moved } }
      : meta
        ? { meta }
        : {}),
  };
  return plain as unknown as JsonObject;
}
