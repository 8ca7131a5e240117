import type { Json, JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import {
  type AgentCall,
  agentDialect,
  chain,
  echo,
  failure,
  only,
  outputOf,
  pass,
  run,
  task,
} from '../run.ts';

/** Section G: Map and Parallel. */

function machine(states: Readonly<Record<string, JsonObject>>): JsonObject {
  return chain(states);
}

function map(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Map', ItemsPath: '$.items' }, ...parts);
}

function parallel(branches: JsonObject[], ...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Parallel', Branches: branches }, ...parts);
}

test('G49 a Map gives a result for every item, in order', async () => {
  const workflow = only(map({ Iterator: machine({ P: pass() }) }));
  const output = await outputOf(workflow, { input: { items: ['a', 'b', 'c'] }, ...agentDialect });
  expect(output).toEqual(['a', 'b', 'c']);
});

test.for([true, false])(
  'the items of a Map in the first state are emitted after it (fused: %s)',
  async (fuse) => {
    const workflow = only(map({ Iterator: machine({ P: pass() }) }));
    const { events } = await run(workflow, { input: { items: [1, 2] }, ...agentDialect, fuse });
    const entered = events.flatMap((event) =>
      event.type === 'state.entered' ? [event.state] : [],
    );
    expect(entered).toEqual(['S', 'P', 'P']);
  },
);

test('G50 ItemSelector creates the input of each item', async () => {
  const workflow = only(
    map({
      ItemSelector: { 'item.$': '$$.Map.Item.Value', 'index.$': '$$.Map.Item.Index' },
      Iterator: machine({ T: task() }),
    }),
  );
  const { output, calls } = await run(workflow, {
    input: { items: ['apple', 'banana', 'cherry'] },
    agents: { A: ({ item }: { item: string }) => item.toUpperCase() },
  });
  expect(output).toEqual({ status: 'succeeded', output: ['APPLE', 'BANANA', 'CHERRY'] });
  expect(calls.map(({ input }) => input)).toEqual([
    { item: 'apple', index: 0 },
    { item: 'banana', index: 1 },
    { item: 'cherry', index: 2 },
  ]);
});

test('G51 without ItemSelector the item is the input', async () => {
  const workflow = only(
    map({ Iterator: machine({ T: task({ Parameters: { 'v.$': '$.value' } }) }) }),
  );
  const input = { items: [{ value: 'apple' }, { value: 'banana' }] };
  expect(await outputOf(workflow, { input, agents: { A: ({ v }) => v } })).toEqual([
    'apple',
    'banana',
  ]);
});

test('G52 no items give no results; a value that is not a list fails', async () => {
  const workflow = only(map({ Iterator: machine({ P: pass() }) }));
  expect(await outputOf(workflow, { input: { items: [] }, ...agentDialect })).toEqual([]);
  const { output } = await run(workflow, { input: { items: 'abc' }, ...agentDialect });
  expect(output).toMatchObject({ status: 'failed', error: 'States.Runtime' });
});

test('G53 plain items stay plain', async () => {
  const workflow = only(map({ Iterator: machine({ T: task() }) }));
  const { calls } = await run(workflow, {
    input: { items: [1, 'two', null] },
    agents: { A: echo },
  });
  expect(calls.map(({ input }) => input)).toEqual([1, 'two', null]);
});

test('G54 a Parallel lists the outputs of its branches', async () => {
  const branches = [
    machine({ One: pass({ Result: { x: 1 } }) }),
    machine({ Two: pass({ Result: 2 }) }),
  ];
  expect(await outputOf(only(parallel(branches)))).toEqual([{ x: 1 }, 2]);
  const stored = chain({
    P: parallel(branches, { ResultPath: '$.r' }),
    Q: pass({ Parameters: { 'x.$': '$.r[0].x', 'keep.$': '$.keep' } }),
  });
  expect(await outputOf(stored, { input: { keep: true } })).toEqual({ x: 1, keep: true });
});

test('G55 branches do not see the data of other branches', async () => {
  const branches = [
    machine({ W: pass({ Result: 'changed', ResultPath: '$.a' }) }),
    machine({ R: pass() }),
  ];
  expect(await outputOf(only(parallel(branches)), { input: { a: 1 } })).toEqual([
    { a: 'changed' },
    { a: 1 },
  ]);
});

test('G56 the results of branches are merged', async () => {
  const scores = [95, 88, 92];
  const branches = scores.map((score, index) =>
    machine({ [`S${index}`]: task({ Agent: 'Score', Parameters: { score } }) }),
  );
  const workflow = chain({
    Review: parallel(branches, { ResultPath: '$.analysisResults' }),
    Mean: task({
      Agent: 'Mean',
      Parameters: {
        'a.$': '$.analysisResults[0].score',
        'b.$': '$.analysisResults[1].score',
        'c.$': '$.analysisResults[2].score',
      },
    }),
  });
  const agents = {
    Score: echo,
    Mean: ({ a, b, c }: Record<string, number>) => Math.round((a! + b! + c!) / 3),
  };
  expect(await outputOf(workflow, { agents })).toBe(92);
});

test('G57 the failure of a branch is caught by its Parallel', async () => {
  const catches = { Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.pe', Next: 'H' }] };
  const branches = [machine({ B: task() }), machine({ C: task({ Agent: 'Slow' }) })];
  const workflow = chain({ P: parallel(branches, catches, { End: true }), H: pass() });
  const agents = {
    A: () => Promise.reject(failure('E', 'boom')),
    Slow: () => new Promise<never>(() => {}),
  };
  expect(await outputOf(workflow, { input: { in: 1 }, agents })).toEqual({
    in: 1,
    pe: { Error: 'E', Cause: 'boom' },
  });
});

test('G58 an item recovers by itself while the others go on', async () => {
  const item = chain({
    T: task({ Catch: [{ ErrorEquals: ['E'], ResultPath: '$.e', Next: 'H' }], Next: 'D' }),
    H: pass({ Result: 'recovered', Next: 'D' }),
    D: pass(),
  });
  const agents = {
    A: (input: { n: number }) => {
      if (input.n === 2) throw failure('E');
      return `fine ${input.n}`;
    },
  };
  const input = { items: [{ n: 1 }, { n: 2 }, { n: 3 }] };
  expect(await outputOf(only(map({ Iterator: item })), { input, agents })).toEqual([
    'fine 1',
    'recovered',
    'fine 3',
  ]);
  const retried = machine({ T: task({ Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 1 }] }) });
  let failures = 0;
  const once = {
    A: () => {
      failures += 1;
      if (failures === 1) throw failure('E');
      return 'fine';
    },
  };
  const twice = await outputOf(only(map({ Iterator: retried })), { input, agents: once });
  expect(twice).toEqual(['fine', 'fine', 'fine']);
});

test('G59 a Fail within an item is the failure of the Map', async () => {
  const item = machine({ F: { Type: 'Fail', Error: 'Bad', Cause: 'rotten' } });
  const { output } = await run(only(map({ Iterator: item })), { input: { items: [1] } });
  expect(output).toMatchObject({ status: 'failed', error: 'Bad', cause: 'rotten' });
});

test('items read the variables around their Map, unless it is distributed', async () => {
  const definition = (ProcessorConfig: JsonObject) => ({
    ...chain({
      Set: { Type: 'Pass', Assign: { a: 1 }, Next: 'M' },
      M: {
        Type: 'Map',
        Items: [1],
        ItemProcessor: {
          ...machine({ P: { Type: 'Pass', Output: '{% $exists($a) ? $a : "none" %}' } }),
          ProcessorConfig,
        },
        End: true,
      },
    }),
    QueryLanguage: 'JSONata',
  });
  const inline = definition({ Mode: 'INLINE' });
  const distributed = definition({ Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' });
  expect(await outputOf(inline)).toEqual([1]);
  expect(await outputOf(distributed)).toEqual(['none']);
});

test('G60 ResultSelector of a Parallel sees the list', async () => {
  const branches = [machine({ One: pass({ Result: 'a' }) }), machine({ Two: pass() })];
  const workflow = only(parallel(branches, { ResultSelector: { 'first.$': '$[0]' } }));
  expect(await outputOf(workflow)).toEqual({ first: 'a' });
});

test.for<[string, JsonObject, number, number]>([
  ['29 %', { ToleratedFailurePercentage: 29 }, 100, 29],
  ['2 items', { ToleratedFailureCount: 2 }, 10, 2],
  ['1 item and 50 %', { ToleratedFailureCount: 1, ToleratedFailurePercentage: 50 }, 10, 1],
  ['5 items and 20 %', { ToleratedFailureCount: 5, ToleratedFailurePercentage: 20 }, 10, 2],
])('a Map that tolerates %s fails when more fail', async ([, tolerated, count, most]) => {
  const error = 'States.ExceedToleratedFailureThreshold';
  const afterFailures = async (failures: number) => {
    const items = Array.from({ length: count }, (_, index) => index);
    const isBad = { Variable: '$', NumericLessThan: failures, Next: 'F' };
    const item = machine({
      C: { Type: 'Choice', Choices: [isBad], Default: 'P' },
      F: { Type: 'Fail', Error: 'Bad' },
      P: pass(),
    });
    const processor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };
    const workflow = only(map({ ItemProcessor: { ...processor, ...item } }, tolerated));
    return (await run(workflow, { input: { items } })).output;
  };
  expect(await afterFailures(most)).toMatchObject({ status: 'succeeded' });
  expect(await afterFailures(most + 1)).toMatchObject({ status: 'failed', error });
});

const resource = 'arn:aws:lambda:eu-west-1:123456789012:function:F';

test('at most MaxConcurrency items run at once, and 0 means no limit', async () => {
  const most = async (limit: JsonObject, count = 6, dialect = 'agent') => {
    let running = 0;
    let peak = 0;
    const agents = {
      [resource]: async (_: Json, { works }: AgentCall) => {
        running += 1;
        peak = Math.max(peak, running);
        await works!(1);
        running -= 1;
        return null;
      },
    };
    const { Mode, ...fields } = limit;
    const processor = {
      ...machine({ T: { Type: 'Task', Resource: resource } }),
      ...(Mode ? { ProcessorConfig: { Mode, ExecutionType: 'STANDARD' } } : {}),
    };
    const workflow = only(map(fields, { ItemProcessor: processor }));
    const items = Array.from({ length: count }, (_, index) => index);
    await outputOf(workflow, { input: { items }, agents, options: { dialect } });
    return peak;
  };
  expect(await most({})).toBe(1);
  expect(await most({ MaxConcurrency: 2 })).toBe(2);
  expect(await most({ MaxConcurrency: 0 })).toBe(6);
  expect(await most({ MaxConcurrency: 0 }, 60)).toBe(60);
  // AWS "Map state processing modes"
  for (const limit of [{}, { MaxConcurrency: 0 }, { MaxConcurrency: 50 }])
    expect(await most(limit, 60, 'amazon')).toBe(40);
  expect(await most({ MaxConcurrency: 7 }, 60, 'amazon')).toBe(7);
  const distributed = { Mode: 'DISTRIBUTED' };
  expect(await most(distributed, 1200, 'amazon')).toBe(1000);
  expect(await most({ ...distributed, MaxConcurrency: 1100 }, 1200, 'amazon')).toBe(1100);
});

test('the first failure of an item stops the rest', async () => {
  const workflow = only(map({ MaxConcurrency: 1, Iterator: machine({ T: task() }) }));
  const agents = {
    A: (item: number) => {
      if (item === 2) throw failure('E');
      return item;
    },
  };
  const { output, calls } = await run(workflow, { input: { items: [1, 2, 3, 4] }, agents });
  expect(output).toMatchObject({ status: 'failed', error: 'E' });
  expect(calls).toHaveLength(2);
});

test('a Map within a Map has its own items, and the outer item is current again after it', async () => {
  const inner = machine({ P: pass({ Parameters: { 'i.$': '$$.Map.Item.Value' } }) });
  const outer = chain({
    Inner: map({ ItemsPath: '$', Iterator: inner, ResultSelector: { 'inner.$': '$' } }),
    After: pass({ Parameters: { 'inner.$': '$.inner', 'outer.$': '$$.Map.Item.Index' } }),
  });
  const workflow = only(map({ Iterator: outer }));
  const output = await outputOf(workflow, { input: { items: [['a'], ['b']] }, ...agentDialect });
  expect(output).toEqual([
    { inner: [{ i: 'a' }], outer: 0 },
    { inner: [{ i: 'b' }], outer: 1 },
  ]);
});

test('a failure in a Parallel within a Parallel fails both', async () => {
  const inner = parallel([machine({ F: { Type: 'Fail', Error: 'Deep' } }), machine({ Q: pass() })]);
  const workflow = only(parallel([machine({ I: inner }), machine({ R: pass() })]));
  const { output } = await run(workflow);
  expect(output).toMatchObject({ status: 'failed', error: 'Deep' });
});
