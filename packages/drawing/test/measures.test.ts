import {
  measuresOf,
  type PlacedDrawing,
  type PlacedEdge,
  type PlacedNode,
} from '@dramaturg/drawing';
import { expect, test } from 'vitest';

const node = (id: string, x: number, y: number, more: Partial<PlacedNode> = {}): PlacedNode => ({
  id,
  box: { x, y, width: 40, height: 20 },
  lines: [],
  text: { x: 0, y: 0 },
  header: 0,
  ...more,
});

const edge = (
  source: string,
  target: string,
  points: readonly (readonly [number, number])[],
  label?: PlacedEdge['label'],
): PlacedEdge => ({
  drawn: [],
  id: `${source}-${target}`,
  source,
  target,
  points: points.map(([x, y]) => ({ x, y })),
  ...(label ? { label } : {}),
});

const drawing = (nodes: PlacedNode[], edges: PlacedEdge[]): PlacedDrawing => ({
  width: 200,
  height: 100,
  nodes,
  edges,
});

const corners = [node('a', 0, 0), node('b', 100, 0), node('c', 0, 80), node('d', 100, 80)];

test('arrows that cross, or that share a part of their way, are counted', () => {
  const crossed = drawing(corners, [
    edge('a', 'd', [
      [20, 20],
      [120, 80],
    ]),
    edge('b', 'c', [
      [120, 20],
      [20, 80],
    ]),
  ]);
  expect(measuresOf(crossed)).toEqual({
    arrows: 2,
    crossings: 1,
    throughBoxes: 0,
    strayLabels: 0,
    backward: 0,
    aspect: 2,
  });
  const shared = drawing(corners, [
    edge('a', 'c', [
      [20, 20],
      [20, 80],
    ]),
    edge('c', 'a', [
      [20, 70],
      [20, 30],
    ]),
  ]);
  expect(measuresOf(shared)).toMatchObject({ crossings: 1, backward: 1 });
});

test('arrows that meet at a state do not cross', () => {
  const meeting = drawing(corners, [
    edge('a', 'c', [
      [20, 20],
      [20, 80],
    ]),
    edge('b', 'c', [
      [120, 20],
      [120, 50],
      [20, 50],
      [20, 80],
    ]),
  ]);
  // They share the last part: two arrows on one line look like one.
  expect(measuresOf(meeting).crossings).toBeGreaterThan(0);
  const beside = drawing(corners, [
    edge('a', 'c', [
      [20, 20],
      [20, 80],
    ]),
    edge('b', 'c', [
      [120, 20],
      [120, 50],
      [30, 50],
      [30, 80],
    ]),
  ]);
  expect(measuresOf(beside).crossings).toBe(0);
});

test('an arrow through a state of others is counted, and one through its own is not', () => {
  const through = drawing(corners, [
    edge('a', 'b', [
      [20, 20],
      [20, 90],
      [140, 90],
      [140, 20],
    ]),
  ]);
  expect(measuresOf(through).throughBoxes).toBe(1);
  const own = drawing(corners, [
    edge('a', 'c', [
      [20, 10],
      [20, 90],
    ]),
  ]);
  expect(measuresOf(own).throughBoxes).toBe(0);
});

test('a label on another arrow, or nearer to another arrow, is astray', () => {
  const lines = ['if so'];
  const own = [
    [20, 20],
    [20, 80],
  ] as const;
  const other = edge('b', 'd', [
    [120, 20],
    [120, 80],
  ]);
  const at = (x: number) => ({ lines, box: { x, y: 45, width: 30, height: 10 } });
  const strays = (x: number) =>
    measuresOf(drawing(corners, [edge('a', 'c', own, at(x)), other])).strayLabels;
  expect(strays(10)).toBe(0);
  expect(strays(30)).toBe(0);
  expect(strays(85)).toBe(1);
  expect(strays(110)).toBe(1);
});
