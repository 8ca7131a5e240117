/* oxlint-disable typescript/no-explicit-any -- The stored form is XState's. */
import {
  type Actor,
  type AnyStateMachine,
  createActor,
  type Snapshot,
  toPromise,
  waitFor,
} from 'xstate';
import { describe, expect, test, vi } from 'vitest';
import { type Chart, type Json, link, type PortCall, providePorts } from '../src/index.ts';
import type { EachOutput } from '../src/entries/format.ts';
import { itemLoadOf, itemsOf } from '../src/entries/machine.ts';
import {
  asking,
  batch,
  type BatchInput,
  batchOf,
  checking,
  itemChart,
  waiting,
} from './batch-format.ts';
import { scaled } from '../../../.config/scaled.ts';

/** Answers each call when the test says so. */
class Desk {
  /** The items that are being worked on, in the order in which they were asked for. */
  readonly open: Json[] = [];
  readonly asked: string[] = [];
  readonly aborted: Json[] = [];
  readonly #calls = new Map<
    Json,
    { answer: (value: Json) => void; fail: (error: Error) => void }
  >();

  readonly runAgent = ({ key, input }: { key: string; input: Json }, { signal }: PortCall) => {
    this.open.push(input);
    this.asked.push(key);
    signal.addEventListener('abort', () => this.aborted.push(input));
    return new Promise<{ result: Json }>((resolve, reject) => {
      this.#calls.set(input, { answer: (result) => resolve({ result }), fail: reject });
    });
  };

  async answer(...items: Json[]): Promise<void> {
    for (const item of items) this.#close(item).answer(`${JSON.stringify(item)} done`);
    await settled();
  }

  async fail(item: Json): Promise<void> {
    this.#close(item).fail(new Error(`no ${JSON.stringify(item)}`));
    await settled();
  }

  #close(item: Json) {
    this.open.splice(this.open.indexOf(item), 1);
    return this.#calls.get(item)!;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function started(
  chart: Chart,
  input: BatchInput,
  desk = new Desk(),
): Promise<{ actor: Actor<AnyStateMachine>; desk: Desk; machine: AnyStateMachine }> {
  const machine = providePorts(link(batchOf(chart), batch), desk);
  const actor = createActor(machine, { input }).start();
  await settled();
  return { actor, desk, machine };
}

const outputOf = (actor: Actor<AnyStateMachine>) => toPromise(actor) as Promise<EachOutput>;
const stored = (actor: Actor<AnyStateMachine>) =>
  JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;

describe('a chart that runs for each item of a list', () => {
  test('gives the results in the order of the items, not of their completion', async () => {
    const { actor, desk } = await started(asking, { items: ['a', 'b', 'c'] });
    expect(desk.open).toEqual(['a', 'b', 'c']);
    await desk.answer('c', 'a');
    await desk.answer('b');
    expect(await outputOf(actor)).toEqual({
      results: ['"a" done', '"b" done', '"c" done'],
      failures: [],
      stopped: false,
    });
  });

  test('is done at once when there are no items', async () => {
    const { actor, desk } = await started(asking, { items: [] });
    expect(await outputOf(actor)).toEqual({ results: [], failures: [], stopped: false });
    expect(desk.asked).toEqual([]);
  });

  test('works on as many at once as it may, and starts the next when one is ready', async () => {
    const { actor, desk } = await started(asking, { items: ['a', 'b', 'c', 'd'], concurrency: 2 });
    expect(desk.open).toEqual(['a', 'b']);
    await desk.answer('b');
    expect(desk.open).toEqual(['a', 'c']);
    await desk.answer('a', 'c');
    expect(desk.open).toEqual(['d']);
    await desk.answer('d');
    expect((await outputOf(actor)).results).toHaveLength(4);
    expect(itemLoadOf(actor).running).toBe(0);
  });

  test('stops at the first failure when none is tolerated', async () => {
    const { actor, desk } = await started(asking, { items: ['a', 'b', 'c', 'd'], concurrency: 3 });
    await desk.answer('a');
    await desk.fail('c');
    expect(desk.aborted).toEqual(['b', 'd']);
    // Stopped items do not count for the limit of items that run at once.
    expect(itemLoadOf(actor).running).toBe(0);
    expect(await outputOf(actor)).toEqual({
      results: [
        '"a" done',
        null,
        { status: 'failed', error: 'The port "runAgent" failed: no "c"' },
        null,
      ],
      failures: [2],
      stopped: true,
    });
  });

  test.each([1, null])('goes on after a failure when %j are tolerated', async (tolerated) => {
    const { actor, desk } = await started(asking, { items: ['a', 'b'], concurrency: 1, tolerated });
    await desk.fail('a');
    await desk.answer('b');
    const { failures, results, stopped } = await outputOf(actor);
    expect([failures, results[1], stopped]).toEqual([[0], '"b" done', false]);
  });

  test('names the failures in order of time', async () => {
    const { actor, desk } = await started(asking, { items: ['a', 'b', 'c'], tolerated: null });
    await desk.fail('b');
    await desk.answer('c');
    await desk.fail('a');
    expect((await outputOf(actor)).failures).toEqual([1, 0]);
  });

  test('counts an item that ends with another status than succeeded as failed', async () => {
    const items = [{ status: 'succeeded' }, { status: 'timedOut' }, { state: 1 }, ['status'], null];
    const machine = providePorts(link(batchOf(asking), batch), {
      runAgent: ({ input }) => ({ result: input }),
    });
    const input = { items, tolerated: null };
    const output = await outputOf(createActor(machine, { input }).start());
    expect(output).toEqual({ results: items, failures: [1], stopped: false });
  });

  test('counts an item that breaks as failed, and says how', async () => {
    const right = { check: { right: true } };
    const { actor } = await started(checking, { items: [right, {}, right], tolerated: 1 });
    expect(await outputOf(actor)).toEqual({
      results: [
        right,
        {
          status: 'failed',
          error: 'States.Runtime',
          cause: "Cannot read properties of undefined (reading 'right')",
        },
        right,
      ],
      failures: [1],
      stopped: false,
    });
  });

  test('hands an event on to the item it is for, if that runs', async () => {
    const { actor } = await started(waiting, { items: ['a', 'b', 'c'], concurrency: 2 });
    const hand = (index: number, value: Json) =>
      actor.send({ type: 'hand', index, event: { type: 'give', value } });
    hand(2, 'too early');
    hand(1, 'second');
    hand(1, 'too late');
    hand(7, 'nobody');
    hand(2, 'third');
    hand(0, 'first');
    expect((await outputOf(actor)).results).toEqual(['first', 'second', 'third']);
  });

  test('is stopped with its items when its node is left', async () => {
    const { actor, desk } = await started(asking, { items: ['a', 'b'] });
    expect(itemLoadOf(actor).running).toBe(2);
    actor.send({ type: 'stop' });
    expect([actor.getSnapshot().status, desk.aborted]).toEqual(['done', ['a', 'b']]);
    expect(itemLoadOf(actor).running).toBe(0);
  });

  test('may run a chart for each item itself, with the same ports', async () => {
    const inner = batchOf(asking);
    const machine = providePorts(link(batchOf({ ...inner, id: 'inner' }), batch), {
      runAgent: ({ input }) => ({ result: [input] }),
    });
    const items = [{ items: [1, 2] }, { items: [] }, { items: [3] }];
    const { results } = await outputOf(createActor(machine, { input: { items } }).start());
    expect(results.map((result) => (result as unknown as EachOutput).results)).toEqual([
      [[1], [2]],
      [],
      [[3]],
    ]);
  });

  test('lets an inspector see every item', async () => {
    const machine = providePorts(link(batchOf(waiting), batch), {});
    const ids: string[] = [];
    const actor = createActor(machine, {
      input: { items: ['a', 'b'] },
      inspect: ({ type, actorRef }) => {
        if (type === '@xstate.actor') ids.push((actorRef as Actor<AnyStateMachine>).id);
      },
    }).start();
    expect(ids.slice(1)).toEqual(['items', '0', '1']);
    actor.stop();
  });

  test('takes time and memory in proportion to the number of items', async () => {
    const runAgent = ({ input }: { input: Json }) => ({ result: input });
    const machine = providePorts(link(batchOf(asking), batch), { runAgent });
    const items = Array.from({ length: scaled(100_000) }, (_, index) => index);
    const { results } = await outputOf(
      createActor(machine, { input: { items, concurrency: 40 } }).start(),
    );
    expect(results).toEqual(items);
  });
});

const give = (actor: Actor<AnyStateMachine>, index: number, value: Json) =>
  actor.send({ type: 'hand', index, event: { type: 'give', value } });

/** The stored form of the supervisor. */
function supervisorIn(snapshot: Snapshot<unknown>): any {
  const { children } = snapshot as unknown as { children: { items?: { snapshot: Json } } };
  return children.items?.snapshot ?? null;
}

const persistedOf = (actor: Actor<AnyStateMachine>) => supervisorIn(actor.getPersistedSnapshot());

/** All objects and lists within a value. */
function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const each of Object.values(value)) objectsIn(each, found);
  return found;
}

describe('stored in the middle of its work', () => {
  test('it repeats running items with the same key, and no finished ones', async () => {
    const { actor, desk } = await started(asking, {
      items: ['a', 'b', 'c', 'd', 'e'],
      concurrency: 2,
      tolerated: 2,
    });
    await desk.answer('b');
    await desk.fail('a');
    const snapshot = stored(actor);
    actor.stop();

    const { desk: second, machine } = await started(asking, { items: [] });
    const restored = createActor(machine, { snapshot }).start();
    await settled();
    expect(second.asked).toEqual(['item/"c"', 'item/"d"']);
    // They count for the limit of items that run at once.
    expect(itemLoadOf(restored).running).toBe(2);
    expect(stored(restored)).toEqual(snapshot);
    await second.answer('d', 'c');
    await second.answer('e');
    expect(await outputOf(restored)).toEqual({
      results: [
        { status: 'failed', error: 'The port "runAgent" failed: no "a"' },
        '"b" done',
        '"c" done',
        '"d" done',
        '"e" done',
      ],
      failures: [0],
      stopped: false,
    });
  });

  test('it lists its items', async () => {
    const items = ['a', 'b', 'c', 'd'];
    const { actor } = await started(waiting, { items, concurrency: 1, tolerated: null });
    give(actor, 0, 1);
    give(actor, 1, { status: 'failed' });
    const views = itemsOf(supervisorIn(stored(actor)));
    expect(views).toEqual([
      { index: 0, status: 'succeeded', item: 'a', output: 1 },
      { index: 1, status: 'failed', item: 'b', output: { status: 'failed' } },
      {
        index: 2,
        status: 'running',
        item: 'c',
        snapshot: expect.objectContaining({ value: 'waiting' }),
      },
      { index: 3, status: 'waiting', item: 'd' },
    ]);
    give(actor, 2, 3);
    give(actor, 3, 4);
    expect(itemsOf(supervisorIn(stored(actor)))).toEqual([]);
  });

  test('what has not changed is the same object as before', async () => {
    const count = 1300;
    const items = Array.from({ length: count }, (_, index) => [index]);
    const { actor } = await started(waiting, { items, concurrency: 50 });
    expect(persistedOf(actor)).toBe(persistedOf(actor));
    const added: number[] = [];
    for (let index = 0; index < count - 60; index += 1) {
      const before = index % 20 === 0 && objectsIn(persistedOf(actor));
      // Always the second of those that run, so that the first never ends.
      give(actor, index + 1, [index]);
      await settled();
      if (!before) continue;
      added.push([...objectsIn(persistedOf(actor))].filter((each) => !before.has(each)).length);
    }
    // An output, a new item and the few lists that they are in.
    expect(Math.max(...added)).toBeLessThan(30);
    expect(persistedOf(actor)).toMatchObject({ work: { input: { items } } });
    expect(supervisorIn(actor.getPersistedSnapshot()).work.input.items).toBe(items);
  });

  test('before it has begun, it begins when it is restored', async () => {
    const machine = providePorts(link(batchOf(waiting), batch), {});
    const snapshot = stored(createActor(machine, { input: { items: ['a', 'b'] } }));
    const actor = createActor(machine, { snapshot }).start();
    for (const index of [0, 1])
      actor.send({ type: 'hand', index, event: { type: 'give', value: index } });
    const { output } = await waitFor(actor, ({ status }) => status === 'done');
    expect(output.results).toEqual([0, 1]);
  });

  test('what it stores stays as it was while the work goes on', async () => {
    const { actor } = await started(waiting, { items: ['a', 'b'], concurrency: 1 });
    const snapshot = actor.getPersistedSnapshot();
    const before = structuredClone(JSON.stringify(snapshot));
    actor.send({ type: 'hand', index: 0, event: { type: 'give', value: 1 } });
    expect(JSON.stringify(snapshot)).toBe(before);
  });
});

test('more than 20,000 items at once are refused, and those that run are stopped', async () => {
  const items = Array.from({ length: 20_001 }, (_, index) => index);
  const machine = providePorts(link(batchOf(waiting), batch), {});
  const actor = createActor(machine, { input: { items } });
  let error: unknown;
  actor.subscribe({ error: (thrown) => (error = thrown) });
  actor.start();
  await vi.waitUntil(() => error !== undefined, { timeout: 300_000 });
  expect(error).toMatchObject({
    code: 'port/limit-reached',
    message: expect.stringContaining('More than 20,000 items would run at once'),
  });
});

test('the chart of the items is named apart for each node', () => {
  const two = batchOf(itemChart('a', { a: {} }));
  const [working] = Object.values(two.states!);
  const machine = link(
    { ...two, states: { ...two.states, again: { ...working!, id: 'again' } } },
    batch,
  );
  const keys = Object.keys(machine.implementations.actors).filter((key) => key.startsWith('each:'));
  expect(keys).toEqual(['each:batch.working:items', 'each:batch.again:items']);
});

test('numbers of the items are added up, passed to items that start, and stop the others at a limit', async () => {
  const asked: Json[] = [];
  const start = (snapshot?: Snapshot<unknown>) => {
    const machine = providePorts(link(batchOf(asking), batch), {
      runAgent: ({ input }) => {
        asked.push(input);
        return asked.length === 2 && !snapshot
          ? new Promise(() => {})
          : { result: { used: { tokens: 10 } } };
      },
    });
    const items = [1, 2, 3, 4].map((id) => ({ id }));
    const tally = { field: 'used', limits: { tokens: 25 } };
    const input = { items, concurrency: 1, tally };
    return createActor(machine, snapshot ? { snapshot, input } : { input }).start();
  };
  const first = start();
  await settled();
  const snapshot = stored(first);
  first.stop();
  const output = (await toPromise(start(snapshot))) as EachOutput;
  expect(asked).toEqual([
    { id: 1, tally: {} },
    { id: 2, tally: { tokens: 10 } },
    { id: 2, tally: { tokens: 10 } },
    { id: 3, tally: { tokens: 20 } },
  ]);
  expect(output).toMatchObject({ stopped: true, exceeded: true, failures: [] });
});
