import type { Chart } from '@dramaturg/compiler';
import { type Behaviour, realWorld } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { Library } from '../src/definitions/library.ts';
import { memoryStore } from '../src/store/memory.ts';

const behaviour: Behaviour = {
  contexts: { empty: () => ({}) },
  guards: {},
  actions: {},
  inputs: {},
  outputs: { nothing: () => null },
};

function chartOf(id: string): Chart {
  return {
    chart: 1,
    format: 'still',
    id,
    context: { type: 'empty' },
    output: { type: 'nothing' },
    initial: 'rest',
    meta: { origin: [] },
    states: { rest: { id: `${id}:rest`, meta: { origin: [] } } },
  };
}

test('a lifecycle that definitions share is linked once', async () => {
  const linked: string[] = [];
  const library = new Library({
    store: await memoryStore().open('a test'),
    behaviours: new Map([['still', behaviour]]),
    world: realWorld,
    onError: (error) => {
      throw error;
    },
    onDefinition: ({ chart }) => linked.push(chart.id),
  });
  const lifecycle = chartOf('life');
  const first = library.add({ name: 'first', chart: chartOf('a'), lifecycle });
  const second = library.add({ name: 'second', chart: chartOf('b'), lifecycle });
  const third = library.add({ name: 'third', chart: chartOf('c'), lifecycle: chartOf('life') });
  expect(linked).toEqual(['life', 'a', 'b', 'c']);
  for (const { lifecycle: ref } of [first, second, third]) expect(ref).toEqual(first.lifecycle);
  expect(first.lifecycle?.name).toBe('life');
});
