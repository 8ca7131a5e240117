import { drawingOf } from '@dramaturg/compiler/chart';
import { layOut, measuresOf, type PlacedDrawing } from '@dramaturg/drawing';
import { compile } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { faultsIn } from './faults.ts';

/** A chain of states, in which every fifth leads back over two others. */
function chain(length: number) {
  const states = Array.from({ length }, (_, index) => `S${index}`);
  const transitions = Object.fromEntries(
    states.slice(0, -1).map((state, index) => [
      state,
      {
        'it is done': `S${index + 1}`,
        ...(index % 5 === 3 && { 'something is missing': `S${index - 2}` }),
      },
    ]),
  );
  const definition = { initial: 'S0', terminal: [`S${length - 1}`], states, transitions };
  const { chart } = compile(JSON.stringify(definition), { fileName: 'it.lifecycle.json' });
  return layOut(drawingOf(chart!));
}

/** The arrows that do not begin and end at the borders of their states. */
function loose({ nodes, edges }: PlacedDrawing) {
  const boxes = new Map(nodes.map(({ id, box }) => [id, box]));
  return edges.filter(({ source, target, points }) =>
    [[source, points[0]!] as const, [target, points.at(-1)!] as const].some(([id, { x, y }]) => {
      const box = boxes.get(id)!;
      const isBeside = x < box.x - 1 || x > box.x + box.width + 1;
      return isBeside || y < box.y - 1 || y > box.y + box.height + 1;
    }),
  );
}

test.each([30, 60, 120])('a chain of %i states continues in columns', async (length) => {
  const placed = await chain(length);
  const { crossings, throughBoxes, strayLabels, aspect } = measuresOf(placed);
  expect({ crossings, throughBoxes, strayLabels }).toEqual({
    crossings: 0,
    throughBoxes: 0,
    strayLabels: 0,
  });
  expect(aspect).toBeGreaterThan(0.9);
  expect(aspect).toBeLessThan(2.2);
  expect(faultsIn(placed)).toEqual([]);
  expect(loose(placed)).toEqual([]);
});

test('a short chain is one column', async () => {
  expect(measuresOf(await chain(8)).aspect).toBeLessThan(0.5);
});
