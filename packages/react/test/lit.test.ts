import { drawingOf } from '@dramaturg/compiler/chart';
import { compile } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { lightsFor } from '../src/statechart/lit.ts';
import { greeting } from './greeting.ts';

const chart = compile(greeting).chart!;
const names = (
  value: Parameters<typeof lightsFor>[2],
  detail: 'overview' | 'full' = 'overview',
) => {
  const drawing = drawingOf(chart, { detail });
  const lights = [...lightsFor(chart, drawing, value)];
  return Object.fromEntries(
    lights.map(([lit, light]) => [drawing.nodes.find(({ id }) => id === lit)!.name, light]),
  );
};

test('the innermost drawn state is current, and its ancestors are highlighted', () => {
  expect(names([{ conversation: { plan: { welcome: 'greet' }, turn: 'waiting' } }])).toEqual({
    Welcome: 'around',
    Greet: 'current',
  });
});

test('a state inside a drawn state highlights the drawn one', () => {
  expect(names([{ conversation: { plan: { welcome: { greet: 'open' } } } }])).toEqual({
    Welcome: 'around',
    Greet: 'current',
  });
});

test('at the end of a machine its drawn final state is highlighted', () => {
  expect(names(['ended'])).toEqual({ End: 'current' });
  expect(names([{ conversation: { plan: '__end__', turn: 'replying' } }])).toEqual({
    End: 'current',
  });
  expect(names(['ended'], 'full')).toEqual({ ended: 'current' });
});

test('an inherited property is not a state', () => {
  expect(names([{ conversation: { plan: { constructor: 'toString' } } }])).toEqual({});
  expect(names([])).toEqual({});
});

test('a machine without a value highlights nothing', () => {
  expect(names([undefined as never])).toEqual({});
});
