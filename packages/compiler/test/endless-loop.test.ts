import { expect, test } from 'vitest';
import type { ChartNode } from '../src/chart/chart.ts';
import { checkChart } from '../src/chart/check.ts';
import {
  authored,
  chartOf,
  finalState,
  findings,
  goTo,
  reference,
  written,
} from './chart-builder.ts';

test('states that lead on without waiting are an endless loop', () => {
  const problems: unknown[] = [];
  checkChart(
    chartOf({
      initial: 'a',
      states: {
        a: written('a', { always: [authored('b', 0)] }),
        b: written('b', {
          initial: 'c',
          states: { c: written('c', { always: [authored('#a', 1)] }) },
        }),
      },
    }),
    (problem, path, details) => problems.push({ ...problem, path, ...details }),
  );
  expect(problems).toEqual([
    {
      code: 'chart/endless-loop',
      severity: 'error',
      path: ['transitions', 0],
      message:
        'These states lead to each other endlessly without waiting for an event: "a" → "c" → "a".',
      hint: 'Give one of the transitions a condition, or an event to wait for.',
      related: [{ path: ['transitions', 1], message: 'From "c" it goes on here.' }],
      follows: [
        ['transitions', 0],
        ['transitions', 1],
      ],
    },
  ]);
});

test('a loop without origins of its own is placed at the nearest ancestor that has one', () => {
  expect(
    findings({
      initial: 'task',
      states: {
        task: written('task', {
          initial: 'x',
          states: { x: { always: [{ target: 'y' }] }, y: { always: [{ target: 'x' }] } },
        }),
      },
    }),
  ).toEqual([['chart/endless-loop', ['states', 'task']]]);
});

test.each<[string, ChartNode]>([
  ['to the state itself', { id: 'a', always: [authored('#a', 0)] }],
  [
    'from an ancestor into itself',
    { id: 'a', initial: 'x', always: [authored('#x', 0)], states: { x: { id: 'x' } } },
  ],
  [
    'from a parallel ancestor into itself',
    { id: 'a', type: 'parallel', always: [authored('#a', 0)], states: { x: {}, y: {} } },
  ],
  [
    'in one region',
    {
      type: 'parallel',
      states: { x: { initial: 'u', states: { u: { always: [authored('u', 0)] } } }, y: goTo('x') },
    },
  ],
])('an unguarded always %s is an endless loop', (_, node) => {
  expect(findings({ initial: 'a', states: { a: node } })).toEqual([
    ['chart/endless-loop', ['transitions', 0]],
  ]);
});

test.each<[string, Record<string, ChartNode>]>([
  ['a guard', { a: { always: [{ target: 'end', guard: reference }, { target: 'b' }] } }],
  ['an event', { a: goTo('b') }],
  ['a final state', { a: finalState }],
  [
    'a region that leaves',
    {
      a: {
        type: 'parallel',
        states: {
          x: { initial: 'u', states: { u: { always: [{ target: 'u' }] } } },
          y: { always: [{ target: '#end' }] },
        },
      },
    },
  ],
  [
    'a region that moves first',
    {
      a: {
        type: 'parallel',
        always: [{ target: 'b' }],
        states: { x: {}, y: { initial: 'u', states: { u: { always: [{ target: '#end' }] } } } },
      },
    },
  ],
])('%s breaks a loop', (_, states) => {
  expect(
    findings({
      initial: 'b',
      states: { b: { always: [{ target: 'a' }] }, end: { id: 'end', type: 'final' }, ...states },
    }),
  ).toEqual([]);
});

test('a loop that nothing leads to is not reported', () => {
  expect(
    findings({ initial: 'a', states: { a: finalState, b: { always: [{ target: 'b' }] } } }),
  ).toEqual([]);
});
