import { expectTypeOf, test } from 'vitest';
import type { Reference } from '../src/entries/chart.ts';
import { type Guard, references } from '../src/entries/format.ts';
import type { Behaviour } from '../src/entries/machine.ts';

const behaviour = {
  contexts: { start: () => ({}) },
  guards: {
    isOpen: () => true,
    isAbove: (_scope, { limit }: { limit: number }) => limit > 0,
    isNear: (_scope, { distance = 1 }: { distance?: number }) => distance > 0,
  } satisfies Record<string, Guard>,
  actions: { close: () => ({}) },
  inputs: {},
  outputs: { result: () => null },
} satisfies Behaviour;

const { guard, action, input, output, context } = references<typeof behaviour>();

test('a name of the behaviour is accepted with the params of its code', () => {
  expectTypeOf(guard('isOpen')).toEqualTypeOf<Reference>();
  guard('isAbove', { limit: 1 });
  guard('isNear');
  guard('isNear', { distance: 2 });
  action('close');
  output('result');
  context('start');
});

test('a name that the behaviour does not have is a compile error', () => {
  expectTypeOf(guard('isOpen')).toEqualTypeOf<Reference>();
  // @ts-expect-error -- There is no such guard.
  guard('isOpne');
  // @ts-expect-error -- It is a guard and no action.
  action('isOpen');
  // @ts-expect-error -- There are no inputs.
  input('close');
});

test('params that the code does not take are a compile error', () => {
  expectTypeOf(guard('isAbove', { limit: 1 })).toEqualTypeOf<Reference>();
  // @ts-expect-error -- The limit is missing.
  guard('isAbove');
  // @ts-expect-error -- A limit is a number.
  guard('isAbove', { limit: 'one' });
  // @ts-expect-error -- It takes no params.
  guard('isOpen', { limit: 1 });
});

test('a behaviour whose names are not in its type accepts none', () => {
  const unnamed = references<Behaviour>();
  expectTypeOf(unnamed.guard).parameter(0).toBeNever();
  // @ts-expect-error -- The annotation `: Behaviour` has lost the names.
  unnamed.guard('isOpen');
});
