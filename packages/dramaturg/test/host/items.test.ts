import type { Json } from '@dramaturg/compiler';
import { manualClock } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import { compile, type Host, type ItemSummary, understudyPorts } from 'dramaturg';
import { describe, expect, test } from 'vitest';
import { places, Stage } from './stage.ts';

/** The items of Maps: AWS lists the child executions of a Map Run. */

const work = 'arn:aws:lambda:eu-west-1:123456789012:function:Work';

const mapOf = (fields: object, inner: object = { Type: 'Task', Resource: work, End: true }) => ({
  StartAt: 'Orders',
  States: {
    Orders: {
      Type: 'Map',
      MaxConcurrency: 2,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'Price',
        States: { Price: inner },
      },
      End: true,
      ...fields,
    },
  },
});

/** Items: a number is doubled, `bad` fails, `slow` is never answered. */
async function started(definition: object, items: Json, at = 'memory') {
  const { host } = await Stage.open({
    store: places[at]!(),
    definitions: { flow: compile(JSON.stringify(definition, undefined, 2)) },
    ports: {
      ...understudyPorts(),
      runAgent: async ({ input }) => {
        if (input === 'slow') return new Promise<never>(() => {});
        if (input === 'bad')
          throw Object.assign(new Error('It is bad.'), { error: 'Broken', cause: 'It is bad.' });
        return { result: Number(input) * 2 };
      },
    },
    channels: {},
    clock: manualClock({ startAt: 0 }),
  });
  await host.start('flow', { id: 'w', input: { input: items } });
  return host;
}

const shown = ({ path, status, input, output, failure, states }: ItemSummary) => [
  path.map(({ state, item }) => `${state}${item === undefined ? '' : `[${item}]`}`).join('/'),
  status,
  input,
  output ?? failure?.error ?? states.map(({ path: at }) => at.at(-1)!.state),
];

const all = async (host: Host) => (await host.items('w')).items.map(shown);
/** Waits until so many items rest in a call that is never answered. */
async function untilSlow(host: Host, count: number): Promise<void> {
  await until(async () => {
    const { items } = await host.items('w', { status: 'running' });
    return items.filter(({ input }) => input === 'slow').length === count;
  }, 'items that rest');
}

describe.for(['memory', 'lowdb', 'sqlite'])('in %s', (at) => {
  test('the items of a running Map are waiting, running or ended', async () => {
    const host = await started(
      mapOf({ ToleratedFailureCount: 1 }),
      [1, 'bad', 'slow', 2, 'slow', 3],
      at,
    );
    await untilSlow(host, 2);
    await expect
      .poll(() => all(host))
      .toEqual([
        ['Orders[0]', 'succeeded', 1, 2],
        ['Orders[1]', 'failed', 'bad', 'Broken'],
        ['Orders[2]', 'running', 'slow', ['Price']],
        ['Orders[3]', 'succeeded', 2, 4],
        ['Orders[4]', 'running', 'slow', ['Price']],
        ['Orders[5]', 'waiting', 3, []],
      ]);
  });

  test('the items of a Map that has failed are kept', async () => {
    const host = await started(mapOf({}), ['slow', 'bad', 3], at);
    await until(async () => (await host.get('w')).ended, 'the end');
    expect(await all(host)).toEqual([
      ['Orders[0]', 'stopped', 'slow', []],
      ['Orders[1]', 'failed', 'bad', 'Broken'],
      ['Orders[2]', 'stopped', 3, []],
    ]);
  });
});

test('an item has the name, the times and the failed state of its execution', async () => {
  const host = await started(mapOf({ Label: 'Run' }), ['bad']);
  await until(async () => (await host.get('w')).ended, 'the end');
  const { items } = await host.items('w');
  const name = expect.stringMatching(/^[\da-f-]{36}-0$/) as string;
  expect(items).toEqual([
    {
      path: [{ state: 'Orders', item: 0 }],
      status: 'failed',
      id: expect.stringMatching(/^w\/Run:[\da-f-]{36}-0$/) as string,
      name,
      input: 'bad',
      startedAt: 0,
      stoppedAt: 0,
      failure: {
        error: 'Broken',
        cause: 'It is bad.',
        state: expect.objectContaining({
          path: [{ state: 'Orders', item: 0 }, { state: 'Price' }],
        }) as never,
      },
      states: [],
    },
  ]);
});

test('pages and filters select items', async () => {
  const host = await started(mapOf({ ToleratedFailureCount: 9 }), [
    1,
    'bad',
    'slow',
    2,
    'bad',
    'slow',
  ]);
  await expect
    .poll(async () => (await host.items('w', { status: 'failed' })).items)
    .toHaveLength(2);
  const first = await host.items('w', { status: 'failed' }, { limit: 1 });
  expect(first.items.map(shown)).toEqual([['Orders[1]', 'failed', 'bad', 'Broken']]);
  const second = await host.items('w', { status: 'failed' }, { limit: 1, after: first.next! });
  expect(second.items.map(shown)).toEqual([['Orders[4]', 'failed', 'bad', 'Broken']]);
  expect(second.next).toBeUndefined();
  expect((await host.items('w', { state: 'Orders' })).items).toHaveLength(6);
  expect((await host.items('w', { state: 'Other' })).items).toEqual([]);
  await expect(host.items('w', {}, { limit: 0 })).rejects.toThrow('A page has 1 to 10,000 items.');
  await expect(host.items('w', {}, { limit: 1, after: 'x' })).rejects.toThrow(
    '"x" is not where a page begins.',
  );
  await expect(host.items('nobody')).rejects.toThrow('nobody');
});

test('Maps within items have items of their own', async () => {
  const inner = {
    Type: 'Map',
    ItemsPath: '$',
    ItemProcessor: {
      StartAt: 'Work',
      States: { Work: { Type: 'Task', Resource: work, End: true } },
    },
    End: true,
  };
  const host = await started(mapOf({}, inner), [[1, 'slow'], ['slow']]);
  await untilSlow(host, 2);
  await expect
    .poll(() => all(host))
    .toEqual([
      ['Orders[0]', 'running', [1, 'slow'], ['Price', 'Work']],
      ['Orders[1]', 'running', ['slow'], ['Price', 'Work']],
      ['Orders[0]/Price[0]', 'succeeded', 1, 2],
      ['Orders[0]/Price[1]', 'running', 'slow', ['Work']],
      ['Orders[1]/Price[0]', 'running', 'slow', ['Work']],
    ]);
});

test('a run without a Map, and one that has ended well, have no items', async () => {
  const host = await started(mapOf({}), [1, 2]);
  await until(async () => (await host.get('w')).ended, 'the end');
  expect(await host.items('w')).toEqual({ items: [] });
});
