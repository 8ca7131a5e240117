import { drawingOf } from '@dramaturg/compiler/chart';
import { layOut } from '@dramaturg/drawing';
import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { flowEdges, flowNodes } from '../src/statechart/flow.ts';
import { marksOf } from '../src/statechart/run-marks.ts';
import { keptItems } from '../src/statechart/canvas.tsx';

const steps = 20;
const workflow = {
  StartAt: 'Step0',
  States: Object.fromEntries(
    Array.from({ length: steps }, (_, step) => [
      `Step${step}`,
      step < steps - 1 ? { Type: 'Pass', Next: `Step${step + 1}` } : { Type: 'Succeed' },
    ]),
  ),
};

test('a step draws only the states and arrows whose marks change', async () => {
  const { chart } = compile(JSON.stringify(workflow));
  const drawing = drawingOf(chart!, { detail: 'overview' });
  const placed = await layOut(drawing);
  const none = new Set<string>();
  const chosen = { selected: undefined, focusable: undefined, highlighted: none };
  const at = (...visited: readonly string[]) => {
    const marks = marksOf(chart!, drawing, { values: [visited.at(-1)!], visited });
    return { nodes: flowNodes(placed, marks, chosen), edges: flowEdges(placed, marks, none) };
  };
  const first = at('Step0', 'Step1');
  const again = at('Step0', 'Step1');
  expect(keptItems(first.nodes, again.nodes)).toBe(first.nodes);
  expect(keptItems(first.edges, again.edges)).toBe(first.edges);

  const next = at('Step0', 'Step1', 'Step2');
  const nodes = keptItems(first.nodes, next.nodes);
  expect(nodes).toEqual(next.nodes);
  expect(nodes.filter((node) => !first.nodes.includes(node)).length).toBeLessThanOrEqual(3);
  const edges = keptItems(first.edges, next.edges);
  expect(edges).toEqual(next.edges);
  expect(edges.filter((edge) => !first.edges.includes(edge)).length).toBeLessThanOrEqual(3);
  expect(nodes).not.toBe(first.nodes);
});
