import { expect, test } from 'vitest';
import type { Chart, ChartNode } from '../src/chart/chart.ts';
import { drawingOf } from '../src/export/drawing.ts';

const reference = { type: 'none' };

function chartOf(node: ChartNode, id = 'test'): Chart {
  return { chart: 1, format: 'test', id, context: reference, output: reference, ...node };
}

const order = chartOf({
  initial: 'open',
  on: { cancel: [{ target: '#closed', meta: { origin: ['cancel'] } }] },
  states: {
    open: {
      meta: { origin: ['states', 0], title: 'Open', type: 'loose' },
      type: 'parallel',
      states: {
        pay: { meta: { origin: ['states', 0, 'tasks', 0], title: 'Pay' } },
        waiting: { initial: 'idle', tags: ['hidden-in-drawings'], states: { idle: {} } },
      },
      onDone: [
        { target: 'closed', description: 'all paid', meta: { origin: ['states', 0, 'next'] } },
        { target: 'closed', description: 'all paid', meta: { origin: ['states', 0, 'next'] } },
      ],
    },
    closed: { id: 'closed', type: 'final' },
  },
});

test('an overview has what the author wrote, with its place in the chart and in the definition', () => {
  const { title, nodes, edges } = drawingOf(order);
  expect(title).toBe('test');
  expect(
    nodes.map(({ name, sort, kind, path, origin, initial }) => ({
      name,
      sort,
      kind,
      path,
      origin,
      initial,
    })),
  ).toEqual([
    {
      name: 'Open',
      sort: 'loose',
      kind: 'parallel',
      path: ['open'],
      origin: ['states', 0],
      initial: true,
    },
    {
      name: 'Pay',
      sort: undefined,
      kind: 'atomic',
      path: ['open', 'pay'],
      origin: ['states', 0, 'tasks', 0],
      initial: false,
    },
    {
      name: 'closed',
      sort: undefined,
      kind: 'final',
      path: ['closed'],
      origin: undefined,
      initial: false,
    },
  ]);
  expect(nodes[1]!.parent).toBe(nodes[0]!.id);
  expect(edges).toEqual([
    {
      id: 'e0',
      source: nodes[0]!.id,
      target: nodes[2]!.id,
      label: 'all paid',
      origins: [['states', 0, 'next']],
    },
  ]);
});

test('in full there is every node that is not hidden, and "anywhere" for what leaves from every state', () => {
  const { nodes, edges } = drawingOf(order, { detail: 'full' });
  expect(nodes.map(({ name }) => name)).toEqual(['Open', 'Pay', 'closed', 'from anywhere']);
  expect(edges.map(({ source, label }) => [source, label])).toContainEqual(['anywhere', 'cancel']);
});

test('the states of a chart that runs for items have their place inside of the node that runs it', () => {
  const items = chartOf(
    { initial: 'pack', states: { pack: { meta: { origin: ['pack'] } } } },
    'item',
  );
  const { nodes } = drawingOf(
    chartOf({
      initial: 'each',
      states: {
        each: {
          meta: { origin: ['each'] },
          initial: 'working',
          states: {
            working: {
              invoke: [
                {
                  id: 'work',
                  src: 'each',
                  chart: items,
                  input: reference,
                  onDone: [],
                  onError: [],
                },
              ],
            },
          },
        },
      },
    }),
  );
  expect(nodes.map(({ path }) => path)).toEqual([['each'], ['each', 'working', 'pack']]);
});

test('the chart of an item is drawn by itself, although its root has an origin', () => {
  const meta = { origin: ['each', 'items'] };
  const to = (target: string) => [{ target, meta: { origin: ['each', 'items', 'End'] } }];
  const states = {
    pack: { meta: { origin: ['each', 'items', 'pack'] }, always: to('#done') },
    done: { id: 'done', type: 'final' as const },
  };
  const { nodes, edges } = drawingOf(chartOf({ meta, initial: 'pack', states }));
  expect(nodes.map(({ path }) => path)).toEqual([['pack'], ['done']]);
  expect(edges).toHaveLength(1);
});

test('a node lists the ports that it calls', () => {
  const { nodes } = drawingOf(
    chartOf({
      initial: 'ask',
      states: {
        ask: { invoke: [{ id: 'r', src: 'reply', input: reference, onDone: [], onError: [] }] },
      },
    }),
    { detail: 'full' },
  );
  expect(nodes[0]!.asks).toEqual(['reply']);
});

test('an exit that three states share is one arrow, and the flow itself stays', () => {
  const to = (target: string, description?: string) => ({
    target,
    ...(description === undefined ? {} : { description }),
    meta: { origin: ['to', target] },
  });
  const state = (name: string, ...always: ReturnType<typeof to>[]): [string, ChartNode] => [
    name,
    { meta: { origin: [name] }, always },
  ];
  const stop = to('end', 'wants to stop');
  const { nodes, edges } = drawingOf(
    chartOf({
      initial: 'a',
      states: Object.fromEntries([
        state('a', to('b'), stop, to('c', 'otherwise')),
        state('b', to('c', 'otherwise'), stop),
        state('c', to('end', 'done'), to('a', 'again'), stop),
        state('end'),
      ]),
    }),
  );
  const named = (id: string) => nodes.find((node) => node.id === id)!.name;
  expect(
    edges.map(({ source, target, label, sources = [] }) => [
      named(source),
      named(target),
      label,
      ...sources.map(named),
    ]),
  ).toEqual([
    ['a', 'b', ''],
    ['a', 'c', 'otherwise'],
    ['b', 'c', 'otherwise'],
    ['c', 'end', 'done'],
    ['c', 'a', 'again'],
    ['from anywhere', 'end', 'wants to stop', 'a', 'b', 'c'],
  ]);
});

test('an exit that is the only way on of a state is drawn from each state', () => {
  const end = [{ target: 'end', description: 'done', meta: { origin: ['x'] } }];
  const { edges } = drawingOf(
    chartOf({
      initial: 'a',
      states: {
        a: { meta: { origin: ['a'] }, always: end },
        b: { meta: { origin: ['b'] }, always: end },
        c: { meta: { origin: ['c'] }, always: end },
        end: { type: 'final' },
      },
    }),
  );
  expect(edges).toHaveLength(3);
});

test('"then" is no label', () => {
  const { edges } = drawingOf(
    chartOf({
      initial: 'a',
      states: {
        a: {
          meta: { origin: ['a'] },
          always: [{ target: 'b', description: 'then', meta: { origin: ['a', 'next'] } }],
        },
        b: { meta: { origin: ['b'] } },
      },
    }),
  );
  expect(edges.map(({ label }) => label)).toEqual(['']);
});

test('states that lowering put into a titled node are framed with those that they are connected with', () => {
  const to = (target: string) => [
    { target: `#${target}`, description: 'then', meta: { origin: ['to'] } },
  ];
  const state = (id: string, ...targets: string[]): [string, ChartNode] => [
    id,
    { id, meta: { origin: [id], title: id }, always: targets.flatMap(to) },
  ];
  const { nodes } = drawingOf(
    chartOf({
      initial: 'talk',
      states: {
        ...Object.fromEntries([state('talk', 'think', 'alone'), state('end')]),
        hidden: {
          initial: 'think',
          meta: { title: 'traversal' },
          states: Object.fromEntries([
            state('think', 'decide'),
            state('decide', 'talk', 'end'),
            state('alone', 'end'),
          ]),
        },
      },
    }),
  );
  const named = (id: string | undefined) => nodes.find((node) => node.id === id)?.name;
  expect(nodes.map(({ name, kind, parent }) => [name, kind, named(parent)])).toEqual([
    ['talk', 'atomic', undefined],
    ['end', 'atomic', undefined],
    ['traversal', 'group', undefined],
    ['think', 'atomic', 'traversal'],
    ['decide', 'atomic', 'traversal'],
    ['alone', 'atomic', undefined],
  ]);
});

test('a state whose exits are all shared keeps one of its own', () => {
  const exits = [
    { target: 'end', description: 'wants to stop', meta: { origin: ['stop'] } },
    { target: 'end', description: 'is done', meta: { origin: ['done'] } },
  ];
  const { nodes, edges } = drawingOf(
    chartOf({
      initial: 'a',
      states: {
        a: { meta: { origin: ['a'] }, always: exits },
        b: { meta: { origin: ['b'] }, always: exits },
        c: { meta: { origin: ['c'] }, always: exits },
        d: { meta: { origin: ['d'] }, always: [{ target: 'a', meta: { origin: ['on'] } }] },
        end: { type: 'final' },
      },
    }),
  );
  expect(nodes.at(-1)).toMatchObject({ kind: 'anywhere', name: 'from a, b, c' });
  expect(edges.map(({ label, sources = [] }) => [label, sources.length])).toEqual([
    ['is done', 0],
    ['is done', 0],
    ['is done', 0],
    ['', 0],
    ['wants to stop', 3],
  ]);
});

test('a beginning besides the initial state has a node and an arrow; one to an unknown node is left out', () => {
  const chart = chartOf({
    initial: 'a',
    meta: {
      entries: [
        { name: 'returning user', target: 'inner' },
        { name: 'lost', target: 'nowhere' },
        { target: 'inner' },
        7,
      ],
    },
    states: {
      a: { meta: { origin: ['a'] } },
      outer: {
        meta: { origin: ['outer'] },
        initial: 'b',
        states: {
          b: { meta: { origin: ['b'] } },
          inner: { id: 'inner', meta: { origin: ['inner'] } },
        },
      },
    },
  });
  const { nodes, edges } = drawingOf(chart);
  const target = nodes.find(({ path }) => path.at(-1) === 'inner')!;
  const [entry, ...others] = nodes.filter(({ kind }) => kind === 'entry');
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ name: 'returning user', parent: target.parent, path: [] });
  expect(edges.map(({ source, target: to }) => [source, to])).toEqual([[entry!.id, target.id]]);
});
