import type { Pattern, Report } from '../format.ts';
import type { Chart } from './chart.ts';
import { statesGoOn } from './check/dead-end.ts';
import { alwaysComesToRest } from './check/endless-loop.ts';
import { reachable } from './check/reachable.ts';
import { transitionsAreNotShadowed } from './check/shadowed-transition.ts';
import { statesAreReachable } from './check/unreachable-state.ts';
import { chartGraph } from './graph.ts';
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
