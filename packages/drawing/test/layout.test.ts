import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Chart } from '@dramaturg/compiler';
import { type Drawing, drawingOf } from '@dramaturg/compiler/chart';
import { layOut, measuresOf, type PlacedDrawing } from '@dramaturg/drawing';
import { chartsOfFixtures } from '@dramaturg/testing';
import { compile } from 'dramaturg/browser';
import { formats as known } from 'dramaturg/editor';
import { describe, expect, test } from 'vitest';
import { backEdges } from '../src/layout/elk-graph.ts';
import { faultsIn } from './faults.ts';
import { runsAll } from '../../../.config/scaled.ts';

const charts: Readonly<Record<string, Chart>> = Object.assign(
  {},
  ...known.map(({ name }) => chartsOfFixtures(name, compile)),
);
const corpus = join(import.meta.dirname, '../../../../shared/corpus');
const names = known
  .map(({ name }) => name)
  .filter((name) => !existsSync(corpus) || existsSync(join(corpus, name)));

describe.each(['TB', 'LR'] as const)('drawn %s', (direction) => {
  test.each(Object.entries(charts))('nothing overlaps in %s', async (path, chart) => {
    for (const detail of detailsOf(path, direction)) {
      const drawing = drawingOf(chart, { detail });
      const placed = await layOut(drawing, { direction });
      expect(faultsIn(placed)).toEqual([]);
      const { crossings, throughBoxes, strayLabels, backward } = measuresOf(placed, direction);
      expect({ throughBoxes, strayLabels }).toEqual({ throughBoxes: 0, strayLabels: 0 });
      expect(crossings).toBeLessThanOrEqual(detail === 'overview' ? 1 : 10);
      const loops = loopsIn(drawing, placed.edges);
      // In full, an arrow may lead to the side of a state far above, or to the next column.
      expect(backward - loops).toBeLessThanOrEqual(detail === 'overview' ? 0 : 7);
      expect(beginning(placed, direction)).toBeLessThan(direction === 'TB' ? 60 : 200);
      expect(placed.nodes.flatMap(({ drawn }) => drawn?.id ?? [])).toEqual(
        drawing.nodes.map(({ id }) => id),
      );
      expect(placed.edges.filter(({ points }) => points.length < 2)).toEqual([]);
    }
  });
});

describe.runIf(runsAll && existsSync(corpus))(
  'the largest definitions of ../shared; in `npm run test:all`, where that is present',
  () => {
    test.each(names)('nothing overlaps in the charts of %s', async (kind) => {
      const largest = chartsIn(kind)
        .toSorted((one, other) => other.size - one.size)
        .slice(0, 2);
      expect(largest).toHaveLength(2);
      for (const { name, chart } of largest) {
        for (const detail of ['overview', 'full'] as const) {
          const placed = await layOut(drawingOf(chart, { detail }));
          expect({ name, faults: faultsIn(placed) }).toEqual({ name, faults: [] });
          if (detail === 'full') continue;
          const { crossings, throughBoxes, strayLabels } = measuresOf(placed);
          expect({ name, throughBoxes, strayLabels }).toMatchObject({
            throughBoxes: 0,
            strayLabels: 0,
          });
          expect(crossings).toBeLessThanOrEqual(3);
        }
      }
    });
  },
);

/** A sixth of the charts is also drawn in full in each direction, in `npm test` a fortieth: that takes five times as long. */
function detailsOf(path: string, direction: 'TB' | 'LR'): readonly ('overview' | 'full')[] {
  const step = runsAll ? 6 : 40;
  const index = Object.keys(charts).indexOf(path) + (direction === 'TB' ? 0 : step / 2);
  return index % step === 0 ? ['overview', 'full'] : ['overview'];
}

/** The arrows that cannot lead in the direction of the drawing. Several between the same states are drawn as one. */
function loopsIn(drawing: Drawing, drawn: PlacedDrawing['edges']): number {
  const back = backEdges(drawing);
  return drawn.filter(({ drawn: [first] }) => first !== undefined && back.has(first)).length;
}

/** How far from the edge the flow begins, in pixels; 0 when nothing is entered first. */
function beginning({ nodes }: PlacedDrawing, direction: 'TB' | 'LR'): number {
  const dot = nodes.find(({ drawn, parent }) => !drawn && parent === undefined);
  return dot?.box[direction === 'TB' ? 'y' : 'x'] ?? 0;
}

function chartsIn(kind: string): { name: string; chart: Chart; size: number }[] {
  return globSync('*.{json,yaml,yml}', { cwd: join(corpus, kind) }).flatMap((file) => {
    const text = readFileSync(join(corpus, kind, file), 'utf8');
    const { chart } = compile(text, { fileName: basename(file) });
    if (!chart) return [];
    const { nodes, edges } = drawingOf(chart);
    return [{ name: file, chart, size: nodes.length + edges.length }];
  });
}
