import { expect, test } from 'vitest';
import type { ChartNode } from '../src/chart/chart.ts';
import { finalState, findings, goTo, reference, unreachable, written } from './chart-builder.ts';

test('of unreachable states that lead to one another the first is reported', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: written('a', finalState),
        b: written('b', goTo('c')),
        c: written('c', goTo('b')),
      },
    }),
  ).toEqual([unreachable('b')]);
});

test('what stands inside an unreachable state is not reported again', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: written('a', finalState),
        b: written('b', { initial: 'c', states: { c: written('c'), d: written('d') } }),
      },
    }),
  ).toEqual([unreachable('b')]);
});

test('an unreachable node without an origin is not reported, but what the author wrote inside is', () => {
  expect(
    findings({
      initial: 'a',
      states: { a: written('a', finalState), b: { initial: 'c', states: { c: written('c') } } },
    }),
  ).toEqual([unreachable('c')]);
});

test('a place of the definition of which one node is reachable is not reported', () => {
  const origin = { meta: { origin: ['states', 0] } };
  expect(
    findings({
      initial: 'a',
      states: { a: { ...finalState, ...origin }, b: { ...finalState, ...origin } },
    }),
  ).toEqual([]);
});

test('entering a state inside enters its ancestors, not their initial', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: written('a', goTo('#d')),
        b: written('b', {
          ...goTo('end'),
          initial: 'c',
          states: { c: written('c'), d: written('d') },
        }),
        end: written('end', finalState),
      },
    }),
  ).toEqual([unreachable('c')]);
});

const region = (name: string) => ({
  initial: `${name}1`,
  states: { [`${name}1`]: written(`${name}1`), [`${name}2`]: written(`${name}2`) },
});

test('entering one region of a parallel state enters the others at their initial', () => {
  expect(
    findings({
      initial: 'a',
      on: { stop: [{ target: '#test.end' }] },
      states: {
        a: goTo('#p2'),
        both: { type: 'parallel', states: { p: region('p'), q: region('q'), r: region('r') } },
        end: finalState,
      },
    }),
  ).toEqual([unreachable('p1'), unreachable('q2'), unreachable('r2')]);
});

test('a second way into a region is followed although the first came from inside', () => {
  expect(
    findings({
      initial: 'a',
      on: { stop: [{ target: '#test.end' }] },
      states: {
        a: { on: { one: [{ target: ['#p1', '#q2'] }], two: [{ target: '#p2' }] } },
        both: {
          type: 'parallel',
          states: {
            p: { initial: 'p1', states: { p1: { id: 'p1', ...goTo('#p2') }, p2: { id: 'p2' } } },
            q: { initial: 'q1', states: { q1: written('q1'), q2: written('q2') } },
          },
        },
        end: finalState,
      },
    }),
  ).toEqual([]);
});

/** Work with a history node, and a state that goes back to the given target. */
const workAndBackTo = (target: string): ChartNode => ({
  initial: 'a',
  states: {
    a: { on: { go: [{ target: '#inner2' }], back: [{ target }], end: [{ target: 'end' }] } },
    work: {
      initial: 'first',
      ...goTo('a'),
      states: {
        first: written('first'),
        second: {
          initial: 'inner1',
          states: { inner1: written('inner1'), inner2: written('inner2') },
        },
        last: { id: 'last', type: 'history' },
      },
    },
    end: finalState,
  },
});

test('a history node leads to its neighbours and to the initial of what it restores', () => {
  expect(findings(workAndBackTo('#last'))).toEqual([]);
  expect(findings(workAndBackTo('a'))).toEqual([unreachable('first'), unreachable('inner1')]);
});

test('answers and failures of a call lead on', () => {
  const invoke = { id: 'ask', src: 'reply', input: reference };
  expect(
    findings({
      initial: 'a',
      states: {
        a: { invoke: [{ ...invoke, onDone: [{ target: 'b' }], onError: [{ target: 'c' }] }] },
        b: written('b', finalState),
        c: written('c', finalState),
      },
    }),
  ).toEqual([]);
});
