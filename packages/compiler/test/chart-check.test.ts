import { expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import type { Chart, ChartNode } from '../src/chart/chart.ts';
import { checkChart } from '../src/chart/check.ts';
import {
  authored,
  chartOf,
  deadEnd,
  finalState,
  findings,
  goTo,
  reference,
  unreachable,
  written,
} from './chart-builder.ts';

test('a chart in which everything leads somewhere has no problems', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: written('a', goTo('b')),
        b: written('b', goTo('#end')),
        end: written('end', finalState),
      },
    }),
  ).toEqual([]);
});

test('a problem says what is wrong and what to do next', () => {
  const problems: unknown[] = [];
  checkChart(
    chartOf({
      initial: 'a',
      states: {
        a: finalState,
        b: { ...finalState, meta: { origin: ['b'], title: 'Say goodbye' } },
      },
    }),
    (problem, path) => problems.push({ ...problem, path }),
  );
  expect(problems).toEqual([
    {
      code: 'chart/unreachable-state',
      severity: 'warning',
      path: ['b'],
      message: 'Nothing leads to the state "Say goodbye".',
      hint: 'Add a transition to it, or remove it.',
    },
  ]);
});

test('a state without a title is called by the id its key was made from', () => {
  const messages: string[] = [];
  checkChart(
    chartOf({
      initial: 'a',
      states: { a: finalState, 'v1%2E2': { ...finalState, meta: { origin: ['b'] } } },
    }),
    ({ message }) => messages.push(message),
  );
  expect(messages).toEqual(['Nothing leads to the state "v1.2".']);
});

test('a target can be named by the id that XState gives to a node without one', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: goTo('#test.b.c'),
        b: { initial: 'c', states: { c: written('c', finalState) } },
      },
    }),
  ).toEqual([]);
});

test('the chart of items is checked like any other', () => {
  const items = chartOf({
    initial: 'a',
    states: { a: written('a', goTo('b')), b: written('b'), c: written('c', finalState) },
  });
  const each = { id: 'each', src: 'each' as const, input: reference, onDone: [], onError: [] };
  const running = (chart: Chart) =>
    chartOf({ initial: 'x', states: { x: { invoke: [{ ...each, chart }] } } });
  expect(findings(running(running(items)))).toEqual([unreachable('c'), deadEnd('b')]);
  expect(() => findings(running(chartOf(goTo('nowhere'))))).toThrow(/leads to "nowhere"/);
});

test.each<[string, ChartNode, string]>([
  [
    'a target without a node',
    { initial: 'a', states: { a: goTo('nowhere') } },
    'A transition of "test.a" leads to "nowhere", and there is no such node.',
  ],
  [
    'an id without a node',
    { initial: 'a', states: { a: written('x', goTo('#nowhere')) } },
    'A transition of "x" leads to "#nowhere", and there is no such node.',
  ],
  [
    'an initial without a node',
    { initial: 'b', states: { a: {} } },
    'The node "test" has "b" as its initial node, and there is no such node in it.',
  ],
  ['a missing initial', { states: { a: {} } }, 'The node "test" has no initial node.'],
])('%s is thrown, as the mistake of a lowering', (_, node, message) => {
  expect(() => findings(node)).toThrow(
    expect.objectContaining({ code: 'chart/unknown-target', message }),
  );
});

test('a chart may nest deeper than the stack', () => {
  let node: ChartNode = written('inmost');
  for (let depth = 0; depth < 20_000; depth += 1) node = { initial: 'in', states: { in: node } };
  expect(findings(node)).toEqual([deadEnd('inmost')]);
});

test('a hundred thousand states are checked in one pass', ({ skip }) => {
  skip(!runsAll);
  // A rule that compares every state with every other would not come to its end.
  const count = 100_000;
  const states = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `s${index}`,
      written(`s${index}`, {
        on: {
          go: [
            authored(`s${(index + 1) % count}`, index, { guard: reference }),
            { target: `#s${(index * 7) % count}` },
          ],
        },
      }),
    ]),
  );
  expect(findings({ initial: 's0', states })).toEqual([]);
});
