import type { Chart, ChartNode, ChartTransition } from '../src/chart/chart.ts';
import { checkChart } from '../src/chart/check.ts';
import type { Path } from '../src/json.ts';

export const reference = { type: 'none' };

export function chartOf(node: ChartNode): Chart {
  return {
    chart: 1,
    format: 'test',
    id: 'test',
    context: reference,
    output: reference,
    ...node,
  };
}

/** A node that the author wrote: its origin is its name. */
export function written(name: string, node: ChartNode = {}): ChartNode {
  return { ...node, id: name, meta: { origin: ['states', name], title: name } };
}

/** A transition that the author wrote. */
export function authored(
  target: string,
  step: number,
  transition: ChartTransition = {},
): ChartTransition {
  return { target, meta: { origin: ['transitions', step] }, ...transition };
}

export function goTo(target: string, transition: ChartTransition = {}): ChartNode {
  return { on: { go: [{ target, ...transition }] } };
}

export const finalState: ChartNode = { type: 'final' };

/** What is reported: the code and the place, and the related places when there are any. */
export function findings(node: ChartNode): unknown[] {
  const found: unknown[] = [];
  checkChart(chartOf(node), ({ code }, path, details) => {
    const related = details?.related?.map((place) => place.path);
    found.push(related ? [code, path, related] : [code, path]);
  });
  return found;
}

export const unreachable = (name: string): [string, Path] => [
  'chart/unreachable-state',
  ['states', name],
];
export const deadEnd = (name: string): [string, Path] => ['chart/dead-end', ['states', name]];
