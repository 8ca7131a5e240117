import { expect, test } from 'vitest';
import type { ChartNode } from '../src/chart/chart.ts';
import { deadEnd, finalState, findings, goTo, reference, written } from './chart-builder.ts';

test('a state that nothing can leave is a dead end', () => {
  expect(
    findings({ initial: 'a', states: { a: written('a', goTo('b')), b: written('b') } }),
  ).toEqual([deadEnd('b')]);
});

test('a transition that has neither target nor action leaves a dead end', () => {
  expect(findings({ initial: 'a', states: { a: written('a', { on: { go: [{}] } }) } })).toEqual([
    deadEnd('a'),
  ]);
});

test('an event by the name of done is an event like any other', () => {
  expect(
    findings({
      initial: 'a',
      states: { a: written('a', { on: { done: [{ target: 'b' }] } }), b: finalState },
    }),
  ).toEqual([]);
});

test('completion of an ancestor does not lead out of a dead end', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: { initial: 'b', states: { b: written('b') }, onDone: [{ target: 'end' }] },
        end: finalState,
      },
    }),
  ).toEqual([deadEnd('b')]);
});

test.each<[string, ChartNode]>([
  ['is final', finalState],
  ['is tagged as resting', { tags: ['resting'] }],
  ['reacts with an action', { on: { go: [{ actions: [reference] }] } }],
  [
    'waits for a call',
    { invoke: [{ id: 'c', src: 'reply', input: reference, onDone: [], onError: [] }] },
  ],
])('a state that %s is no dead end', (_, node) => {
  expect(findings({ initial: 'a', states: { a: written('a', node) } })).toEqual([]);
});

test('a state that an ancestor leads out of is no dead end', () => {
  expect(
    findings({
      initial: 'a',
      states: { a: { initial: 'b', ...goTo('end'), states: { b: written('b') } }, end: finalState },
    }),
  ).toEqual([]);
});

const regions = (other: ChartNode): ChartNode => ({
  type: 'parallel',
  states: {
    p: { initial: 'a', states: { a: written('a') } },
    q: { initial: 'b', states: { b: other, c: finalState } },
  },
});

test('a region that rests while another goes on is no dead end', () => {
  expect(findings(regions(goTo('c')))).toEqual([]);
  expect(findings(regions({}))).toEqual([deadEnd('a')]);
});
