import { InstanceHistory } from '@dramaturg/host';
import { whyStuck } from '@dramaturg/host/engine';
import { overriding, until } from '@dramaturg/testing';
import { behaviours } from '../../src/host.ts';
import {
  compile,
  type Json,
  type JsonObject,
  memoryStore,
  type Store,
  type StoreLocation,
} from '../../src/index.ts';
import { expect, test } from 'vitest';
import { places, Stage } from './stage.ts';

/** Maps with so many items that their steps must not depend on the number. */

const task = { Type: 'Task', Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:F' };

const only = (state: object) => ({ StartAt: 'Do', States: { Do: { ...state, End: true } } });

function mapOf(processor: object) {
  const definition = {
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemProcessor: processor,
        End: true,
      },
    },
  };
  return compile(JSON.stringify(definition), { format: 'asl', options: { dialect: 'amazon' } });
}

/** Maps in a Map in a Map, each with all items. */
const nestedMap = mapOf(level(2));

function level(depth: number): object {
  if (depth === 0) return only({ Type: 'Pass' });
  const ItemsPath = '$$.Execution.Input.items';
  const state = { Type: 'Map', ItemsPath, ItemProcessor: level(depth - 1), End: true };
  return { StartAt: `Level${depth}`, States: { [`Level${depth}`]: state } };
}

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

/** A store that counts the lines of each write. */
function counting(location: StoreLocation, lines: number[]): StoreLocation {
  return {
    read: () => location.read(),
    open: async (owner) => {
      const store = await location.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          const method = store[name as keyof Store] as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const [change] = args as [{ readonly journal?: readonly Json[] }];
            if (name === 'create' || name === 'commit') lines.push(change.journal?.length ?? 0);
            return method.apply(store, args);
          };
        },
      });
    },
  };
}

async function hosting(definition: ReturnType<typeof mapOf>, lines: number[] = []) {
  const ports = { runAgent: async ({ input }: { input: Json }) => ({ result: [input] }) };
  const store = counting(memoryStore(), lines);
  return Stage.open({ store, definitions: { flow: definition }, ports, channels: {} });
}

const ended = (stage: Stage, id: string) =>
  until(async () => (await stage.host.get(id)).ended, `the end of ${id}`);

async function journalOf({ host }: Stage, id: string): Promise<Json[]> {
  const lines: Json[] = [];
  for (;;) {
    const page = await host.journal(id, { from: lines.length, limit: 1000 });
    lines.push(...page);
    if (page.length < 1000) return lines;
  }
}

async function outputOf(stage: Stage, id: string): Promise<unknown> {
  const events = (await journalOf(stage, id)).map((line) => (line as { event: JsonObject }).event);
  return events.find(({ type }) => type === 'workflow.ended')?.['output'];
}

test('items that end at once are started in several steps, and no write has many lines', async () => {
  const lines: number[] = [];
  const stage = await hosting(mapOf(only({ Type: 'Pass' })), lines);
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(5000) } } });
  await ended(stage, 'w');
  expect(await outputOf(stage, 'w')).toEqual(numbers(5000));
  expect(lines.length).toBeGreaterThan(4);
  expect(Math.max(...lines)).toBeLessThan(2500);
});

test('items of Maps in Maps are started in several steps and turns of the event loop, as many as those of one Map', async () => {
  const lines: number[] = [];
  const size = 16;
  const stage = await hosting(nestedMap, lines);
  let turns = 0;
  const ticking = new AbortController();
  const tick = () => {
    turns += 1;
    if (!ticking.signal.aborted) setImmediate(tick);
  };
  tick();
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(size) } } });
  await ended(stage, 'w');
  ticking.abort();
  const rows = numbers(size).map(() => numbers(size));
  expect(await outputOf(stage, 'w')).toEqual(numbers(size).map(() => rows));
  const all = size ** 3;
  expect(lines.length).toBeGreaterThan(all / 256);
  expect(Math.max(...lines)).toBeLessThan(2500);
  expect(turns).toBeGreaterThan(all / 256);
});

/** Takes five units for each number. */
const sumTo = (length: number) =>
  `{% $sum($map([1..${length}], function($number) { $number + 0 })) %}`;

test('items whose expressions take much work are started in more steps', async () => {
  const lines: number[] = [];
  const processor = only({ Type: 'Pass', QueryLanguage: 'JSONata', Output: sumTo(10_000) });
  const stage = await hosting(mapOf(processor), lines);
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(100) } } });
  await ended(stage, 'w');
  expect(await outputOf(stage, 'w')).toEqual(numbers(100).map(() => 50_005_000));
  expect(lines.length).toBeGreaterThan(4);
});

test('a long chain of states takes turns of the event loop within its step, which a replay decides the same', async () => {
  const turnsOf = async (length: number) => {
    const States = Object.fromEntries(
      numbers(length).map((index) => [
        `S${index}`,
        { Type: 'Pass', ...(index === length - 1 ? { End: true } : { Next: `S${index + 1}` }) },
      ]),
    );
    const lines: number[] = [];
    const stage = await hosting(
      compile(JSON.stringify({ StartAt: 'S0', States }), { format: 'asl' }),
      lines,
    );
    let turns = 0;
    const ticking = new AbortController();
    const tick = () => {
      turns += 1;
      if (!ticking.signal.aborted) setImmediate(tick);
    };
    setImmediate(tick);
    await stage.host.start('flow', { id: 'w' });
    ticking.abort();
    await ended(stage, 'w');
    expect(Math.max(...lines)).toBeGreaterThan(2 * length);
    const history = new InstanceHistory({
      id: 'w',
      charts: await stage.host.charts('w'),
      behaviours,
    });
    await history.take(await stage.host.journal('w', { from: 0, limit: 10_000 }));
    expect(history.departures).toEqual([]);
    return turns;
  };
  expect(await turnsOf(4_900)).toBeGreaterThan((await turnsOf(5)) + 3);
});

test('the states of one step share a limit of work', async () => {
  const names = numbers(20).map((index) => `S${index}`);
  const States = Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        Type: 'Pass',
        Output: sumTo(400_000),
        ...(index === 19 ? { End: true } : { Next: names[index + 1] }),
      },
    ]),
  );
  const chain = { QueryLanguage: 'JSONata', StartAt: 'S0', States };
  const flow = compile(JSON.stringify(chain), { format: 'asl', options: { dialect: 'amazon' } });
  const stage = await hosting(flow);
  await stage.host.start('flow', { id: 'w' });
  await ended(stage, 'w');
  expect((await stage.host.get('w')).failure).toMatchObject({
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining('it does too much work'),
  });
});

test('the items of all instances of a host are limited together, and a Map that would pass the limit fails with a code', async () => {
  const waits = { runAgent: () => new Promise<never>(() => {}) };
  const config = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };
  const definitions = { flow: mapOf({ ...config, ...only(task) }) };
  const options = { definitions, ports: waits, channels: {}, maxItems: 1500 };
  const stage = await Stage.open({ ...options, store: memoryStore() });
  const start = (id: string) =>
    stage.host.start('flow', { id, input: { input: { items: numbers(1000) } } });
  const runsToEnd = (id: string) =>
    until(
      async () => (await stage.host.journal(id, { from: 1999, limit: 1 })).length > 0,
      `all items of ${id}`,
    );
  await start('first');
  await runsToEnd('first');
  await start('second');
  await ended(stage, 'second');
  expect((await stage.host.get('second')).failure).toMatchObject({
    error: 'States.LimitReached',
    cause: expect.stringContaining('More than 1,500 items would run at once in all instances'),
  });
  expect((await stage.host.get('first')).ended).toBe(false);
  const charts = await stage.host.charts('second');
  const history = new InstanceHistory({ id: 'second', charts, behaviours });
  await history.take(await journalOf(stage, 'second'));
  expect(history.departures).toEqual([]);
  await stage.host.send('first', { type: 'cancel' });
  await start('third');
  await runsToEnd('third');
  expect((await stage.host.get('third')).ended).toBe(false);
});

test('answers that arrive together are stored together, each as a step of its own', async () => {
  const lines: number[] = [];
  const stage = await hosting(mapOf(only(task)), lines);
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(400) } } });
  await ended(stage, 'w');
  expect(await outputOf(stage, 'w')).toEqual(numbers(400).map((index) => [index]));
  expect(lines.length).toBeLessThan(300);
  const journal = await journalOf(stage, 'w');
  const answered = JSON.stringify(journal).split('"call.answered"').length - 1;
  expect(answered).toBe(400);
});

test('timers that are due together are stored together', async () => {
  const lines: number[] = [];
  const config = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };
  const stage = await hosting(mapOf({ ...config, ...only({ Type: 'Wait', Seconds: 1 }) }), lines);
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(300) } } });
  await ended(stage, 'w');
  expect(await outputOf(stage, 'w')).toEqual(numbers(300));
  expect(lines.length).toBeLessThan(150);
});

test.each(Object.keys(places))('a host that stops in the middle goes on, on %s', async (place) => {
  let answers = 0;
  const calls = new Map<string, number>();
  let stop: (() => void) | undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const stage = await Stage.open({
    store: places[place]!(),
    definitions: { flow: mapOf(only(task)) },
    ports: {
      runAgent: ({ key, input }) => {
        calls.set(key, (calls.get(key) ?? 0) + 1);
        answers += 1;
        if (answers !== 150) return { result: [input] };
        stop!();
        return new Promise(() => {});
      },
    },
    channels: {},
  });
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(300) } } });
  await stopped;
  await stage.restart();
  await ended(stage, 'w');
  expect(await outputOf(stage, 'w')).toEqual(numbers(300).map((index) => [index]));
  expect(calls.size).toBe(300);
});

test.each(Object.keys(places))(
  'items without calls are started by the next host, whenever the last one stops, on %s',
  async (place) => {
    const stage = await Stage.open({
      store: places[place]!(),
      definitions: { flow: mapOf(only({ Type: 'Pass' })) },
      channels: {},
    });
    await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(3000) } } });
    let stops = 0;
    for (; !(await stage.host.get('w')).ended && stops < 10; stops += 1) {
      await stage.restart();
      if (stops > 0) await stage.host.settle();
    }
    expect(stops).toBeGreaterThan(0);
    expect(await outputOf(stage, 'w')).toEqual(numbers(3000));
  },
);

test('Maps in Maps that hosts stop in the middle of have a history without a departure', async () => {
  const stage = await hosting(nestedMap);
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(12) } } });
  for (let stops = 0; stops < 3; stops += 1) await stage.restart();
  await ended(stage, 'w');
  const charts = await stage.host.charts('w');
  const history = new InstanceHistory({ id: 'w', charts, behaviours });
  await history.take(await journalOf(stage, 'w'));
  expect(history.departures).toEqual([]);
  expect(history.instance.ended).toBe(true);
});

test('each write of items without calls and of their fork has a stored reason to continue, and the next host continues the fork', async () => {
  const location = memoryStore();
  const reasons = new Map<string, unknown>();
  const open = async (owner: string) => {
    const store = await location.open(owner);
    const noting = async <Written extends { readonly revision: number }>(
      id: string,
      writing: Promise<Written>,
    ) => {
      const written = await writing;
      const record = await store.read(id);
      if (record) reasons.set(`${id} ${written.revision}`, whyStuck(record));
      return written;
    };
    return overriding<Store>(store, {
      create: (record) => noting(record.id, store.create(record)),
      commit: (change) => noting(change.id, store.commit(change)),
    });
  };
  const definitions = { flow: mapOf(only({ Type: 'Pass' })) };
  const store = { read: () => location.read(), open };
  const stage = await Stage.open({ store, definitions, channels: {} });
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(2000) } } });
  await ended(stage, 'w');
  await stage.host.fork('w', { id: 'fork', step: 1 });
  await stage.restart();
  await ended(stage, 'fork');
  expect(await outputOf(stage, 'fork')).toEqual(numbers(2000));
  expect([...reasons.keys()]).toEqual(expect.arrayContaining(['w 1', 'w 3', 'fork 1', 'fork 3']));
  expect([...reasons].filter(([, reason]) => reason !== undefined)).toEqual([]);
});

test('its history is repeated without a departure, and a fork in the middle ends the same', async () => {
  const mixed = {
    Type: 'Choice',
    Choices: [{ Variable: '$', NumericLessThan: 2500, Next: 'Done' }],
    Default: 'Ask',
  };
  const states = { Which: mixed, Ask: { ...task, End: true }, Done: { Type: 'Pass', End: true } };
  const stage = await hosting(mapOf({ StartAt: 'Which', States: states }));
  await stage.host.start('flow', { id: 'w', input: { input: { items: numbers(2700) } } });
  await ended(stage, 'w');
  const history = new InstanceHistory({
    id: 'w',
    charts: await stage.host.charts('w'),
    behaviours,
  });
  await history.take(await journalOf(stage, 'w'));
  expect(history.departures).toEqual([]);
  const expected = numbers(2700).map((index) => (index < 2500 ? index : [index]));
  expect(history.instance.ended).toBe(true);
  for (const step of [2, 100]) {
    const id = `fork-${step}`;
    await stage.host.fork('w', { id, step });
    await ended(stage, id);
    expect(await outputOf(stage, id)).toEqual(expected);
  }
});
