import { type AnyStateMachine, type AnyStateNode, createActor, createMachine } from 'xstate';
import { expect, test } from 'vitest';
import type { Chart } from '../src/chart/chart.ts';
import { toStately } from '../src/export/stately.ts';
import type { Behaviour } from '../src/link/behaviour.ts';
import { link } from '../src/link/link.ts';

const chart: Chart = {
  chart: 1,
  format: 'test',
  id: 'booking',
  description: 'Books a table.',
  context: { type: 'empty', params: { guests: 2 } },
  output: { type: 'nothing' },
  initial: 'ask',
  on: { cancel: [{ target: '#end', actions: [{ type: 'log', params: { why: 'cancelled' } }] }] },
  states: {
    ask: {
      id: 'ask',
      description: 'Asks for the date.',
      tags: ['waiting'],
      meta: { origin: ['states', 0], title: 'Ask' },
      entry: [{ type: 'log' }],
      exit: [{ type: 'log', params: { why: 'left' } }],
      invoke: [
        {
          id: 'compose',
          src: 'reply',
          input: { type: 'prompt', params: { text: 'When?' } },
          onDone: [
            { target: 'both', guard: { type: 'has', params: { names: ['date'] } } },
            { target: 'ask', reenter: true },
          ],
          onError: [{ target: '#end' }],
        },
      ],
      on: { 'message.received': [{ actions: [{ type: 'log' }] }], '*': [{}] },
    },
    both: {
      type: 'parallel',
      states: {
        left: {
          initial: 'a',
          states: {
            a: { always: [{ target: 'b', guard: { type: 'has' } }] },
            b: { type: 'final' },
          },
        },
        right: {
          initial: 'c',
          states: {
            c: { on: { go: [{ target: ['#booking.both.left.b', '#d'] }] } },
            d: { id: 'd', type: 'final' },
          },
        },
        back: { type: 'history', history: 'deep' },
      },
      onDone: [
        { target: '#end', meta: { origin: ['states', 1, 'done'] }, description: 'All is known.' },
      ],
    },
    end: { id: 'end', type: 'final' },
  },
};

const behaviour: Behaviour = {
  contexts: { empty: () => ({}) },
  guards: { has: () => true },
  actions: { log: () => ({}) },
  inputs: { prompt: () => ({ key: 'k', at: 0 }) },
  outputs: { nothing: () => null },
};

/** A node of a machine with all that decides what it does, and nothing of how it was made. */
function anatomy(node: AnyStateNode): unknown {
  const { id, key, type, tags, description, order } = node;
  return {
    id,
    key,
    type,
    tags,
    description,
    order,
    entry: node.entry,
    exit: node.exit,
    history: node.history,
    invoke: node.invoke.map((call) => [call.id, call.src]),
    transitions: [...node.transitions.values(), node.always ?? []].flat().map((transition) => ({
      event: transition.eventType,
      targets: transition.target?.map((target) => target.id),
      guard: transition.guard,
      actions: transition.actions,
      reenter: transition.reenter,
      description: transition.description,
      meta: transition.meta,
    })),
    initial:
      node.states && Object.keys(node.states).length > 0 && node.type !== 'parallel'
        ? node.initial.target.map(({ id: target }) => target)
        : [],
    states: Object.values(node.states).map(anatomy),
  };
}

/** As much of the exported config as the tests look at. */
interface Config {
  readonly meta: unknown;
  readonly states: Readonly<Record<string, { readonly meta?: unknown; readonly invoke?: unknown }>>;
}

test('the exported config has the same nodes and transitions as the linked chart', () => {
  const exported: AnyStateMachine = createMachine(toStately(chart) as never);
  expect(anatomy(exported.root)).toEqual(anatomy(link(chart, behaviour).root));
});

test('what only the compiler understands moves into meta', () => {
  const { meta, states, ...root } = toStately(chart) as unknown as Config;
  expect(meta).toEqual({
    dramaturg: {
      chart: 1,
      format: 'test',
      context: { type: 'empty', params: { guests: 2 } },
      output: { type: 'nothing' },
    },
  });
  expect(Object.keys(root)).toEqual(['id', 'description', 'initial', 'on']);
  expect(states['ask']?.meta).toEqual({
    origin: ['states', 0],
    title: 'Ask',
    dramaturg: { inputs: { compose: { type: 'prompt', params: { text: 'When?' } } } },
  });
  expect(states['ask']?.invoke).toEqual([
    {
      id: 'compose',
      src: 'reply',
      onDone: chart.states!['ask']!.invoke![0]!.onDone,
      onError: [{ target: '#end' }],
    },
  ]);
  expect(states['end']).toEqual({ id: 'end', type: 'final' });
});

test('the chart of items is a config of its own in the meta of the node that runs it', () => {
  const call = { id: 'each', input: { type: 'prompt' }, onDone: [{ target: '#end' }], onError: [] };
  const nesting: Chart = {
    ...chart,
    states: { ...chart.states, ask: { invoke: [{ ...call, src: 'each', chart }] } },
  };
  const exported = toStately(nesting) as unknown as Config;
  expect(exported.states['ask']).toEqual({
    invoke: [{ id: 'each', src: 'each', onDone: call.onDone, onError: [] }],
    meta: { dramaturg: { inputs: { each: call.input }, charts: { each: toStately(chart) } } },
  });
  expect(createMachine(exported as never).root.states['ask']!.invoke[0]!.src).toBe('each');
});

test('the exported config is plain JSON, and the chart is left as it was', () => {
  const before = structuredClone(chart);
  expect(JSON.parse(JSON.stringify(toStately(chart)))).toEqual(toStately(chart));
  expect(chart).toEqual(before);
});

test('an actor of the exported machine starts', () => {
  const exported: AnyStateMachine = createMachine(
    toStately({ ...chart, initial: 'both' }) as never,
  );
  const actor = createActor(exported.provide({ guards: { has: () => true } }));
  actor.start();
  actor.send({ type: 'go' });
  expect(actor.getSnapshot().status).toBe('done');
});
