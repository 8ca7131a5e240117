import type { Pattern, Report } from '../format.ts';
import type { Chart } from './chart.ts';
import { statesGoOn } from './check/dead-end.ts';
import { alwaysComesToRest } from './check/endless-loop.ts';
import { chartGraph } from './graph.ts';
import { reachable } from './check/reachable.ts';
import { transitionsAreNotShadowed } from './check/shadowed-transition.ts';
import { chartsOf } from './walk.ts';
import { statesAreReachable } from './check/unreachable-state.ts';

/**
 * What must be true of a chart of any format. Problems are placed by `meta.origin`, so the author reads them at the
 * place in the definition that the chart was lowered from.
 *
 * @param wiring where the definition says which state leads to which; left out, anywhere
 * @throws ChartError when a target names no node: that is a mistake of the lowering, not of the author
 */
export function checkChart(chart: Chart, report: Report, wiring: readonly Pattern[] = [[]]): void {
  const reportWiring: Report = (problem, path, details) =>
    report(problem, path, { ...details, follows: wiring });
  for (const each of chartsOf(chart)) checkAlone(each, report, reportWiring);
}

/** A chart that runs for items starts in its own root, whatever leads to the node that runs it. */
function checkAlone(chart: Chart, report: Report, reportWiring: Report): void {
  const nodes = chartGraph(chart);
  const canBeActive = reachable(nodes);
  statesAreReachable(nodes, canBeActive, reportWiring);
  statesGoOn(nodes, canBeActive, reportWiring);
  transitionsAreNotShadowed(nodes, report);
  alwaysComesToRest(nodes, canBeActive, report);
}
