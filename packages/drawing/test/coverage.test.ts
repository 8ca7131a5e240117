import { drawingOf, unitsOf } from '@dramaturg/compiler/chart';
import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { coverageIn, drawnPartsOf } from '../src/index.ts';

const plan = (id: string, next: readonly string[] = []) => ({
  id,
  title: id,
  tasks: [
    { id: 'ask', description: 'Ask', deliverables: [{ key: `${id}-key`, description: 'K' }] },
  ],
  transitions: next.map((target_state_id) => ({
    target_state_id,
    condition_type: 'all_tasks_complete',
  })),
});

function chartOf(...states: readonly object[]) {
  const { chart, diagnostics } = compile(
    JSON.stringify({ title: 'T', initial_state_id: 'first', states }),
    { fileName: 'a.plan.json' },
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return chart!;
}

const chart = chartOf(plan('first', ['second']), plan('second', ['third']), plan('third'));

const entry = (definition: string, of = chart) => ({
  definition,
  units: [...unitsOf(of).values()].map((unit) => ({ ...unit, hits: 1 })),
});
const report = (...coverage: readonly unknown[]) => JSON.stringify({ coverage });

test('a report is read for the definition whose states and transitions it has', () => {
  const other = chartOf(plan('first'));
  const found = coverageIn(report(entry('b.json', other), entry('a.json')), chart);
  expect(found).toEqual({ definition: 'a.json', units: entry('').units });
});

test.each([
  [
    'coverage.json',
    report(entry('b.json', chartOf(plan('first')))),
    'has the coverage of b.json, not of this definition.',
  ],
  ['coverage.json', report(), 'has the coverage of nothing, not of this definition.'],
  ['lcov.info', 'TN:\nSF:a.json\n', 'is an lcov file, which has lines and no states.'],
  ['a.json', '{}', 'is not a coverage report.'],
  ['a.json', 'no JSON', 'is not a coverage report.'],
  [
    'a.json',
    report({ definition: 'a', units: [{ kind: 'state', path: [{}], hits: 1 }] }),
    'is not a coverage report.',
  ],
  [
    'a.json',
    report({ definition: 'a', units: [{ kind: 'state', path: ['a'], hits: '1' }] }),
    'is not a coverage report.',
  ],
  [
    'a.json',
    report({ definition: 'a', units: [{ kind: '__proto__', path: ['a'], hits: 1 }] }),
    'is not a coverage report.',
  ],
])('%s that says nothing about the chart is one sentence: %s', (name, text, sentence) => {
  const found = coverageIn(text, chart, name);
  expect(found).toEqual({ problem: expect.stringContaining(`${name} ${sentence}`) });
});

test('a report about an earlier version says how much differs', () => {
  const earlier = chartOf(plan('first', ['second']), plan('second'));
  expect(coverageIn(report(entry('a.json', earlier)), chart)).toEqual({
    problem: expect.stringMatching(
      /^The report is about another version of this definition: \d+ states or transitions differ\. Run the tests again\.$/,
    ),
  });
});

test('a unit is drawn by its state or its arrow, and a part that an overview leaves out by what is around it', () => {
  const drawing = drawingOf(chart);
  for (const unit of unitsOf(chart).values()) {
    const parts = drawnPartsOf(drawing, unit);
    expect(parts).not.toEqual([]);
    const isState = drawing.nodes.some(({ id }) => id === parts[0]);
    expect(isState).toBe(unit.kind === 'state');
  }
  const [arrow] = drawing.edges.filter(({ origins }) => origins);
  const operand = { kind: 'operand', path: [...arrow!.origins![0]!, 'all_of', 0] };
  expect(drawnPartsOf(drawing, operand)).toContain(arrow!.id);
  expect(drawnPartsOf(drawing, { kind: 'state', path: ['elsewhere'] })).toEqual([]);
});
