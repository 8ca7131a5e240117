import type { Chart } from '@dramaturg/compiler';
import { drawingOf } from '@dramaturg/compiler/chart';
import { chartsOfFixtures } from '@dramaturg/testing';
import { compile } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { marksOf, type RunFacts } from '../src/statechart/run-marks.ts';
import { branches } from './branches.ts';

const charts = { ...chartsOfFixtures('asl', compile), ...chartsOfFixtures('plan', compile) };
const fixture = (name: string): Chart => charts[name]!;

function marked(chart: Chart, facts: RunFacts) {
  const drawing = drawingOf(chart);
  const { lights, taken, progress } = marksOf(chart, drawing, facts);
  const name = (id: string) => drawing.nodes.find((node) => node.id === id)!.name;
  const edges = drawing.edges.filter(({ id }) => taken.has(id));
  return {
    lights: Object.fromEntries([...lights].map(([id, light]) => [name(id), light])),
    taken: edges.map(({ source, target }) => `${name(source)} → ${name(target)}`),
    progress: Object.fromEntries([...progress].map(([id, text]) => [name(id), text])),
  };
}

test('the trail, the taken arrows, the current state and the next ones are marked', () => {
  const { lights, taken } = marked(fixture('asl/order'), {
    values: [{ Ask: 'waiting' }],
    visited: ['Price', 'IsLarge', 'Ask'],
  });
  expect(lights).toEqual({
    Price: 'visited',
    IsLarge: 'visited',
    Ask: 'current',
    Refuse: 'next',
    Pack: 'next',
  });
  expect(taken).toEqual(['Price → IsLarge', 'IsLarge → Ask']);
});

test('a failed state is red, and a Map says how far it is', () => {
  const { lights, progress } = marked(fixture('asl/order'), {
    values: [{ Pack: { working: { Fetch: 'working' } } }],
    isFailed: true,
    progress: [
      { state: ['Pack', 'working'], ended: 12, total: 20 },
      { state: 'constructor', ended: 1, total: 1 },
    ],
  });
  expect(lights).toMatchObject({ Pack: 'around', Fetch: 'failed' });
  expect(progress).toEqual({ Pack: '12/20' });
});

test('a run that has ended with a failure has failed in its last state', () => {
  const { lights } = marked(fixture('asl/order'), {
    values: ['%failed'],
    visited: ['Price', 'Refuse'],
    isFailed: true,
  });
  expect(lights).toEqual({ Price: 'visited', Refuse: 'failed' });
});

test('the state that has failed is red, and not the one that was entered last', () => {
  const { lights } = marked(fixture('asl/order'), {
    values: ['%failed'],
    visited: ['Price', 'IsLarge', 'Ask'],
    isFailed: true,
    failedIn: 'IsLarge',
  });
  expect(lights).toMatchObject({ IsLarge: 'failed', Ask: 'visited' });
});

test('the trail leads through the branches of a Parallel, and from it to what catches its error', () => {
  const { chart } = compile(branches({ isCaught: true }));
  const visited = ['Both', 'Pause', 'Look', 'Hold', 'Read', 'Mend'];
  const { taken } = marked(chart!, { values: ['Mend'], visited });
  expect(taken.toSorted()).toEqual(['Both → Mend', 'Look → Read', 'Pause → Hold']);
});

test('the tasks before the current one of a sequence are done', () => {
  const chart = fixture('plan/intake');
  const at = (task: string) =>
    marked(chart, { values: [{ conversation: { plan: { 'customer-intake': task } } }] }).lights;
  expect(at('identify')).not.toMatchObject({ 'Identify Customer': 'done' });
  expect(at('done')).toMatchObject({
    'Identify Customer': 'done',
    'Classify Issue': 'done',
    'Customer Intake': 'current',
  });
});

test('a task of a loose state is done when it has been completed', () => {
  const chart = fixture('plan/skipping');
  const drawing = drawingOf(chart);
  const tasksOf = (id: string) => drawing.nodes.filter(({ parent }) => parent === id);
  const loose = drawing.nodes.find(
    ({ kind, id }) => kind === 'parallel' && tasksOf(id).length > 1,
  )!;
  const tasks = tasksOf(loose.id);
  const [first, ...others] = tasks.map(({ path }) => path.at(-1)!);
  const regions = {
    [first!]: 'completed',
    ...Object.fromEntries(others.map((key) => [key, 'open'])),
  };
  const value = { conversation: { plan: { [loose.path.at(-1)!]: regions } } };
  const { lights } = marked(chart, { values: [value] });
  expect(lights[tasks[0]!.name]).toBe('done');
  expect(lights[tasks[1]!.name]).toBe('current');
});

test('names of other objects mark nothing', () => {
  const { lights } = marked(fixture('asl/order'), {
    values: [],
    visited: ['constructor', '__proto__'],
  });
  expect(lights).toEqual({});
});
