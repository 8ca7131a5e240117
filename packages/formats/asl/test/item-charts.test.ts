import { type Chart, compile, isRecord } from '@dramaturg/compiler';
import { drawingOf, toMermaid } from '@dramaturg/compiler/chart';
import { chartsOfFixtures } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

/** The charts that the nodes of a chart run for items, however deep. */
function itemChartsIn(chart: Chart): readonly Chart[] {
  const found: Chart[] = [];
  const pending: unknown[] = [chart];
  for (const value of pending) {
    if (Array.isArray(value)) pending.push(...value);
    else if (isRecord(value)) {
      if (isRecord(value['chart'])) found.push(value['chart'] as unknown as Chart);
      pending.push(...Object.values(value));
    }
  }
  return found;
}

test('the chart of the items of each Map is drawn by itself', () => {
  const charts = Object.values(
    chartsOfFixtures('asl', (text, options) => compile(text, { ...options, formats: [asl] })),
  ).flatMap(itemChartsIn);
  expect(charts.length).toBeGreaterThan(3);
  for (const chart of charts) {
    for (const detail of ['overview', 'full'] as const)
      expect(drawingOf(chart, { detail }).nodes.length).toBeGreaterThan(0);
    expect(toMermaid(chart)).toContain('stateDiagram');
  }
});
