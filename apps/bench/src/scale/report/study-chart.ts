import type { Point, Study } from '../stores.ts';
import { chartSvg } from './chart.ts';

/** Latency and utilisation over the rate of messages, as an SVG document. */
export function studyChart({ store, size, sweep, outcome, first }: Study): string {
  const lineOf = (name: string, y: (point: Point) => number) => ({
    name,
    points: sweep.map((point) => ({ x: point.rate, y: y(point) })),
  });
  const parts = Object.entries(size).map(([name, count]) => `${count} ${name}`);
  return chartSvg({
    title: `On ${store}: ${parts.join(', ')}`,
    xTitle: 'messages a second',
    mark: { x: outcome.rate, label: `${outcome.rate.toLocaleString('en')} a second` },
    panels: [
      {
        title: 'Latency',
        unit: 'ms',
        isLogarithmic: true,
        lines: [
          lineOf('turn, 99th percentile', ({ turn }) => turn.p99),
          lineOf('turn, median', ({ turn }) => turn.p50),
          lineOf('acknowledgement, median', ({ acknowledgement }) => acknowledgement.p50),
        ],
      },
      {
        title: `Share of the time for which a resource is busy. First saturated: ${first.name}, at ${Math.round(first.rate).toLocaleString('en')} a second`,
        unit: '%',
        isLogarithmic: false,
        max: 100,
        lines: outcome.stations.map(({ name }, index) =>
          lineOf(name, ({ stations }) => 100 * stations[index]!.utilisation),
        ),
      },
    ],
  });
}
