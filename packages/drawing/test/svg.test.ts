import type { Chart } from '@dramaturg/compiler';
import { drawingOf } from '@dramaturg/compiler/chart';
import {
  type CountedUnit,
  coverageOf,
  layOut,
  type Light,
  lookOf,
  toSvg,
} from '@dramaturg/drawing';
import { chartsOfFixtures } from '@dramaturg/testing';
import { compile } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { outlineOf, sideRoom, type Shape } from '../src/kinds/shapes.ts';

const formats = ['asl', 'plan', 'npc', 'context-graph', 'lifecycle'];
const charts: Readonly<Record<string, Chart>> = Object.assign(
  {},
  ...formats.map((name) => chartsOfFixtures(name, compile)),
);
const order = charts['asl/order']!;

test('a drawing without a browser has each state and each label once', async () => {
  const drawing = drawingOf(order);
  const svg = toSvg(await layOut(drawing), { title: drawing.title });
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+"/u);
  for (const { name } of drawing.nodes) expect(svg).toContain(`>${name}</tspan>`);
  expect(svg.match(/class="dg-arrow-line"/g)).toHaveLength(drawing.edges.length + 2);
  expect(svg).toContain('Map: runs once for each item');
});

test('text of a definition cannot become markup', async () => {
  const name = '</text><script>alert(1)</script>"\u0000\u000b';
  const node = {
    id: 'n1',
    kind: 'atomic',
    name,
    initial: true,
    path: ['a'],
    asks: [],
    sort: '<b>',
  } as const;
  const edges = [{ id: 'e0', source: 'n1', target: 'n2', label: name }];
  const nodes = [node, { ...node, id: 'n2', initial: false }];
  const svg = toSvg(await layOut({ title: name, nodes, edges }), { title: name });
  for (const unsafe of ['<script', '<b>', '\u0000', '\u000b']) expect(svg).not.toContain(unsafe);
  expect(svg.match(/<(?!\/?(?:svg|title|style|rect|g|path|text|tspan|circle)\b)/g)).toBe(null);
});

test('the place of a run is drawn: current, done, failed, and how far', async () => {
  const placed = await layOut(drawingOf(order));
  const [price, pack] = ['Price', 'Pack'].map(
    (name) => placed.nodes.find(({ drawn }) => drawn?.name === name)!.id,
  ) as [string, string];
  const lights = new Map<string, Light>([
    [price, 'failed'],
    [pack, 'current'],
  ]);
  const svg = toSvg(placed, { marks: { lights, progress: new Map([[pack, '12/20']]) } });
  expect(svg).toContain('data-light="failed"');
  expect(svg).toContain('data-light="current"');
  expect(svg).toContain('MAP · 12/20');
});

test('every word that a format has for a kind of state has a look of its own', () => {
  const looks = new Map<string, string>();
  for (const [path, chart] of Object.entries(charts)) {
    for (const node of drawingOf(chart).nodes) {
      if (node.sort === undefined) continue;
      const look = lookOf(node);
      expect([node.sort, look.meaning]).not.toEqual([node.sort, 'a state']);
      looks.set(`${path.split('/')[0]} ${node.sort}`, `${look.shape} ${look.icon}`);
    }
  }
  // Shape and icon tell the kinds of one format apart, without colour.
  const byFormat = new Map<string, string[]>();
  for (const [word, look] of looks) {
    const format = word.split(' ')[0]!;
    byFormat.set(format, [...(byFormat.get(format) ?? []), look]);
  }
  for (const [format, all] of byFormat)
    expect([format, new Set(all).size]).toEqual([format, all.length]);
});

test('an outline stays inside its box', () => {
  for (const shape of Object.keys(sideRoom) as Shape[]) {
    const { outline, lines = '' } = outlineOf(shape, 120, 50);
    const numbers = `${outline}${lines}`.match(/-?\d+(?:\.\d+)?/g)!.map(Number);
    expect([shape, Math.min(...numbers) >= -2, Math.max(...numbers) <= 120]).toEqual([
      shape,
      true,
      true,
    ]);
  }
});

test('coverage is drawn on states and arrows, and explained', async () => {
  const drawing = drawingOf(order);
  const named = (name: string) => drawing.nodes.find((node) => node.name === name)!;
  const [price, refuse] = [named('Price'), named('Refuse')];
  const arrow = drawing.edges.find(({ source, origins }) => source === price.id && origins)!;
  const choice = drawing.edges.find(({ label }) => label.startsWith('$.'))!;
  const units: CountedUnit[] = [
    { kind: 'state', path: price.origin!, hits: 2 },
    { kind: 'state', path: refuse.origin!, hits: 0 },
    { kind: 'transition', path: arrow.origins![0]!, hits: 0 },
    { kind: 'transition', path: choice.origins![0]!, hits: 1 },
    { kind: 'operand', path: [...choice.origins![0]!, 'And', 0], hits: 0 },
  ];
  const coverage = coverageOf(drawing, units);
  expect(Object.fromEntries(coverage)).toEqual({
    [price.id]: 'covered',
    [refuse.id]: 'uncovered',
    [arrow.id]: 'uncovered',
    [choice.id]: 'partly',
  });
  const placed = await layOut(drawing);
  const marks = (svg: string) =>
    Array.from(svg.matchAll(/data-coverage="(\w+)"/g), ([, reach]) => reach!);
  const svg = toSvg(placed, { marks: { coverage }, legend: false });
  // The outline and the sign of each state, and the line of each arrow.
  expect(marks(svg).toSorted()).toEqual([
    'covered',
    'covered',
    'partly',
    'uncovered',
    'uncovered',
    'uncovered',
  ]);
  expect(toSvg(placed, { marks: { coverage } })).toContain('never reached');
  expect(marks(toSvg(placed))).toEqual([]);
});
