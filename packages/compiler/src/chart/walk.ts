import type { Chart, ChartNode, ChartTransition } from './chart.ts';

/**
 * Every node of a chart in document order, without the charts that run for items. Iterative, because charts may nest deeper
 * than the stack.
 */
export function nodesOf(chart: Chart): ChartNode[] {
  const nodes: ChartNode[] = [];
  const pending: ChartNode[] = [chart];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    for (const child of Object.values(next.states ?? {}).toReversed()) pending.push(child);
  }
  return nodes;
}

/** A chart and all charts inside it that run for items, at any depth, the outermost first. */
export function chartsOf(chart: Chart): Chart[] {
  const charts = [chart];
  for (const next of charts) {
    for (const node of nodesOf(next)) {
      for (const invoke of node.invoke ?? []) if (invoke.chart) charts.push(invoke.chart);
    }
  }
  return charts;
}

/** The transitions of a node by event, each list in order of preference. */
export function transitionLists(
  node: ChartNode,
): [event: string, transitions: readonly ChartTransition[]][] {
  const lists: [string, readonly ChartTransition[]][] = [];
  if (node.always) lists.push(['', node.always]);
  for (const [event, transitions] of Object.entries(node.on ?? {}))
    lists.push([event, transitions]);
  if (node.onDone) lists.push(['done', node.onDone]);
  for (const invoke of node.invoke ?? []) {
    lists.push([`${invoke.id} answered`, invoke.onDone], [`${invoke.id} failed`, invoke.onError]);
  }
  return lists;
}

/** The targets of a transition as a list. */
export function targetsOf(transition: ChartTransition): readonly string[] {
  if (transition.target === undefined) return [];
  return typeof transition.target === 'string' ? [transition.target] : transition.target;
}
