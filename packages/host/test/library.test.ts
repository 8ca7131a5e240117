import { createHash } from 'node:crypto';
import type { Chart, Json } from '@dramaturg/compiler';
import { atOnce, type Behaviour, realWorld } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { packing, unpacking, versioning } from '../src/definitions/definition.ts';
import { Library } from '../src/definitions/library.ts';
import type { Store } from '../src/store/contract.ts';
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

async function libraryOf(store: Store, nextTurn: () => Promise<void>, onDefinition = () => {}) {
  const fail = (error: unknown) => {
    throw error;
  };
  return new Library({
    store,
    behaviours: new Map([['still', behaviour]]),
    world: { ...realWorld, nextTurn },
    onError: fail,
    onDefinition,
  });
}

test('a large definition is added, and loaded after a restart, in slices with the same result', async ({
  skip,
}) => {
  skip(!runsAll);
  const chart = {
    ...chartOf('large'),
    states: Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [
        at === 0 ? 'rest' : `rest ${at}`,
        {
          id: `large:${at}`,
          on: { [`event ${at}`]: [{ target: 'rest' }] },
          meta: { origin: [at] },
        },
      ]),
    ),
  };
  const store = await memoryStore().open('a test');
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
  };
  const library = await libraryOf(store, nextTurn);
  await library.addInSlices({ name: 'large', chart, lifecycle: chartOf('life') });
  // Graph, names and hash.
  expect(turns).toBeGreaterThan(40);
  const added = library.peek(await library.latest('large').then(({ ref }) => ref))!;
  await library.keep(added);

  turns = 0;
  const loaded = await (await libraryOf(store, nextTurn)).latest('large');
  expect(turns).toBeGreaterThan(40);
  const own = structuredClone(chart);
  const whole = (await libraryOf(store, nextTurn)).add({
    name: 'large',
    chart: own,
    lifecycle: chartOf('life'),
  });
  expect(JSON.stringify(loaded.chart)).toBe(JSON.stringify(chart));
  for (const each of [added, loaded]) {
    expect(each.ref).toEqual(whole.ref);
    expect(each.machine.events).toEqual(whole.machine.events);
  }
});

test('a large chart is stored in short texts, at any depth and with any key, and an object is read too', () => {
  const state = (at: number) => ({ id: `large:${at}`, meta: { origin: [at] }, absent: undefined });
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`s${at}`, state(at)]));
  const states = JSON.parse('{"__proto__":{"id":"large:own"}}') as Chart['states'];
  const chart = { ...chartOf('large'), states: { ...states, rest: { states: many }, end: {} } };
  const stored = atOnce(packing(chart as unknown as Chart));
  const lengths: number[] = [];
  JSON.stringify(stored, (_, value: unknown) => {
    if (typeof value === 'string') lengths.push(value.length);
    return value;
  });
  expect(lengths.length).toBeGreaterThan(5);
  expect(Math.max(...lengths)).toBeLessThan(250_000);
  const text = JSON.stringify(chart);
  expect(JSON.stringify(atOnce(unpacking(JSON.parse(JSON.stringify(stored)) as Json)))).toBe(text);
  expect(JSON.stringify(atOnce(unpacking(JSON.parse(text) as Json)))).toBe(text);
  expect(atOnce(packing(chartOf('small')))).toEqual(chartOf('small'));
});

test('the version of a definition is a hash of its JSON, which is written in slices', () => {
  let slices = 0;
  const readIn = new Set<number>();
  const states = Array.from({ length: 100 }, (_, at) => ({
    get id() {
      readIn.add(slices);
      return `"${at}" 😀 `.repeat(2_000);
    },
    list: [at, undefined, { absent: undefined, none: null }],
  }));
  const meta = { origin: [], absent: undefined, states: [...states, undefined] };
  const chart = {
    ...chartOf('large'),
    meta,
    states: Object.assign({}, states),
  } as unknown as Chart;
  const hash = createHash('sha256').update(JSON.stringify(chart)).digest('hex');
  readIn.clear();
  const work = versioning(chart);
  let next = work.next();
  for (; !next.done; next = work.next()) slices += 1;
  expect(next.value).toBe(hash.slice(0, 16));
  expect(readIn.size).toBeGreaterThan(10);
});

test('the first step with a definition that is loaded begins in a later turn of the event loop', async () => {
  const store = await memoryStore().open('a test');
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
  };
  const library = await libraryOf(store, nextTurn);
  const { ref } = library.add({ name: 'small', chart: chartOf('small'), lifecycle: 'own' });
  await library.keep(library.peek(ref)!);
  let turnsUntilLinked: number | undefined;
  const onDefinition = () => (turnsUntilLinked = turns);
  await (await libraryOf(store, nextTurn, onDefinition)).load(ref);
  expect(turns).toBe(turnsUntilLinked! + 1);
});

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
