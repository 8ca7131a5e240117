import { createActor, fromPromise, toPromise } from 'xstate';
import { describe, expect, test } from 'vitest';
import {
  compile,
  link,
  LinkError,
  type LinkOptions,
  type Ports,
  providePorts,
} from '../src/index.ts';
import { nodeKey } from '../src/entries/chart.ts';
import { nameUse, type World } from '../src/entries/machine.ts';
import { asking, batch, batchOf, itemChart } from './batch-format.ts';
import { quiz, quizChart } from './quiz-format.ts';

const chart = quizChart({ question: 'Is it?', answer: 'yes' });

describe('link', () => {
  test('lists every missing name at once', () => {
    const { guards: _, ...rest } = quiz.behaviour;
    const { count: __, ...actions } = rest.actions;
    const lacking = { ...rest, guards: {}, actions, inputs: {}, outputs: {} };
    const error = (() => {
      try {
        link(chart, lacking);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(LinkError);
    expect((error as LinkError).code).toBe('link/unknown-name');
    expect((error as LinkError).missing).toEqual([
      'action count',
      'guard isRight',
      'input question',
      'output tries',
    ]);
  });

  test('lists a port that does not exist', () => {
    const broken = JSON.parse(
      JSON.stringify(chart).replace('"src":"choose"', '"src":"telepathy"'),
    ) as typeof chart;
    expect(nameUse(broken, quiz.behaviour).missing).toEqual(['port telepathy']);
  });

  test('lists names that the chart does not use', () => {
    const behaviour = {
      ...quiz.behaviour,
      guards: { ...quiz.behaviour.guards, isNever: () => false },
    };
    expect(nameUse(chart, behaviour)).toEqual({ missing: [], unused: ['guard isNever'] });
  });

  test('finds names used in the charts of items, at any depth', () => {
    const { guards: _, ...behaviour } = batch;
    const inner = itemChart('a', { a: { entry: [{ type: 'shout' }] } });
    expect(nameUse(batchOf(batchOf(inner)), { ...behaviour, guards: {} })).toEqual({
      missing: ['action shout'],
      unused: ['action fail', 'action pass', 'action take', 'action tell', 'input task'],
    });
  });

  test('passes the same world to all linked functions', async () => {
    const emitted: string[] = [];
    const world: World = { now: () => 5, random: () => 0.5, uuid: () => 'an id' };
    const tells = (what: string, seen: World) =>
      emitted.push(`${what} ${seen.now()} ${seen.uuid()}`);
    const machine = link(
      batchOf(asking),
      {
        ...batch,
        contexts: {
          batch: ({ input, world: seen }) => (tells('context', seen), input),
          item: ({ input, world: seen }) => (tells('context of an item', seen), { item: input }),
        },
        actions: {
          ...batch.actions,
          tell: (scope) => (tells('action', scope.world), {}),
        },
        inputs: {
          items: ({ context, world: seen }) => {
            tells('input', seen);
            return { items: context.items, concurrency: 0, tolerated: 0 };
          },
          task: (scope) => (
            tells('input of an item', scope.world),
            batch.inputs['task']!(scope, {})
          ),
        },
        outputs: {
          ...batch.outputs,
          result: ({ context, world: seen }) => (tells('output', seen), context.result),
        },
      },
      { world },
    );
    const ports = { runAgent: () => ({ result: null }) };
    await toPromise(createActor(providePorts(machine, ports), { input: { items: [1] } }).start());
    const seen = ['context', 'input', 'context of an item', 'action', 'input of an item'];
    expect(emitted).toEqual([...seen, 'action', 'output'].map((what) => `${what} 5 an id`));
  });

  test('takes the logic of its ports, also for the charts of items', async () => {
    const runAgent = fromPromise(async () => ({ result: 'done' }));
    const machine = link(batchOf(asking), batch, { actors: { runAgent } });
    const actor = createActor(machine, { input: { items: [1, 2] } }).start();
    expect(JSON.stringify(await toPromise(actor))).toContain('"done"');
  });

  test('adds what the next reply may be to inputs, unless no port wants it', async () => {
    let foreseen = 0;
    const reply = { prompt: [], tools: [], cases: [] };
    const nextReplies = { question: () => ((foreseen += 1), reply) };
    const foreseeing = { ...quiz.behaviour, nextReplies };
    const inputsWith = async (options: LinkOptions) => {
      const replies: unknown[] = [];
      const choose: Ports['choose'] = (input) => {
        replies.push(input.reply);
        return { option: 'yes' };
      };
      const machine = providePorts(link(chart, foreseeing, options), { choose });
      await toPromise(createActor(machine).start());
      return { replies, foreseen };
    };
    for (const fuse of [true, false]) {
      foreseen = 0;
      const without = { fuse, nextReplies: false };
      expect(await inputsWith(without)).toEqual({ replies: [undefined], foreseen: 0 });
      expect(await inputsWith({ fuse })).toEqual({ replies: [reply], foreseen: 1 });
    }
  });

  test('receives its options from the `link` option of compile', () => {
    const emitted: number[] = [];
    const world: World = { now: () => 5, random: () => 0, uuid: () => '' };
    const contexts = { start: (start: { world: World }) => emitted.push(start.world.now()) };
    const format = { ...quiz, behaviour: { ...quiz.behaviour, contexts } };
    const text = '{ "question": "Is it?", "answer": "yes" }';
    createActor(compile(text, { formats: [format], link: { world } }).machine!);
    expect(emitted).toEqual([5]);
  });

  test('works on a chart read from JSON', () => {
    const machine = link(JSON.parse(JSON.stringify(chart)) as typeof chart, quiz.behaviour);
    expect(Object.keys(machine.root.states)).toEqual(['asking', 'wrong', 'failed', 'done']);
  });
});

test('reading the nodes of a chart makes each once, and does not change the record that has them', () => {
  const { states } = link(chart, quiz.behaviour).root;
  const before = Object.getOwnPropertyDescriptors(states);
  const [first, second] = [Object.values(states), Object.values(states)];
  expect(first.map(({ key }) => key)).toEqual(['asking', 'wrong', 'failed', 'done']);
  for (const [index, node] of first.entries()) expect(second[index]).toBe(node);
  // A change would take time in proportion to the number of nodes: thousands of states would take a second.
  expect(Object.getOwnPropertyDescriptors(states)).toEqual(before);
});

describe('the key of a node', () => {
  test('is the unchanged id when no character in it is special to XState', () => {
    expect(nodeKey('customer-intake')).toBe('customer-intake');
    expect(nodeKey('with spaces, é and "quotes"')).toBe('with spaces, é and "quotes"');
  });

  test('escapes dots, hashes, backslashes, percent signs, numbers, `__proto__` and the empty id', () => {
    expect(['a.b', '#a', 'a\\b', '100%', '42', '__proto__', ''].map(nodeKey)).toEqual([
      'a%2Eb',
      '%23a',
      'a%5Cb',
      '100%25',
      '%342',
      '%5F_proto__',
      '%',
    ]);
  });

  test('is unique for each id', () => {
    const ids = ['a.b', 'a%2Eb', '42', '%342', '__proto__', '%5F_proto__', '', '%', '%%'];
    expect(new Set(ids.map(nodeKey)).size).toBe(ids.length);
  });
});
