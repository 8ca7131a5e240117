import { expect, test } from 'vitest';
import { authored, finalState, findings, reference } from './chart-builder.ts';

test('a transition behind one without a guard is shadowed, and the earlier one is related', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: {
          on: {
            go: [
              authored('b', 0, { guard: reference }),
              authored('b', 1),
              authored('b', 2),
              authored('b', 3),
            ],
          },
        },
        b: finalState,
      },
    }),
  ).toEqual([
    ['chart/shadowed-transition', ['transitions', 2], [['transitions', 1]]],
    ['chart/shadowed-transition', ['transitions', 3], [['transitions', 1]]],
  ]);
});

test('a transition with the guard of an earlier one is shadowed, whatever the order of the params', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: {
          always: [
            authored('b', 0, {
              guard: { type: 'has', params: { name: 'x', all: [1, { p: 1, q: 2 }] } },
            }),
            authored('b', 1, {
              guard: { type: 'has', params: { name: 'y', all: [1, { p: 1, q: 2 }] } },
            }),
            authored('b', 2, {
              guard: { type: 'has', params: { all: [1, { q: 2, p: 1 }], name: 'x' } },
            }),
            authored('b', 3, { guard: { type: 'has', params: {} } }),
            authored('b', 4, { guard: { type: 'has' } }),
          ],
        },
        b: finalState,
      },
    }),
  ).toEqual([
    ['chart/shadowed-transition', ['transitions', 2], [['transitions', 0]]],
    ['chart/shadowed-transition', ['transitions', 4], [['transitions', 3]]],
  ]);
});

test('candidates for different events, or without an origin, or made from one transition, shadow nothing', () => {
  expect(
    findings({
      initial: 'a',
      states: {
        a: {
          on: {
            go: [authored('b', 0), authored('b', 0), { target: 'b' }],
            stop: [authored('b', 1)],
          },
        },
        b: finalState,
      },
    }),
  ).toEqual([]);
});
