import type { Json } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { chain, echo, only, outputOf, pass, run, task } from '../run.ts';
import { scaled } from '../../../../../.config/scaled.ts';

/** Hostile input: prototypes, huge and deep data, slow patterns. */

test.for(['$.__proto__.polluted', '$.constructor.prototype.polluted', "$['__proto__']"])(
  'a ResultPath of %s writes data and nothing else',
  async (path) => {
    const output = await outputOf(only(pass({ Result: true, ResultPath: path })));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  },
);

test('a field of the data can have any name', async () => {
  const input = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as Json;
  const selected = { Parameters: { 'a.$': '$.__proto__.x', 'constructor.$': '$.constructor' } };
  expect(await outputOf(only(pass(selected)), { input })).toEqual({ a: 1, constructor: 2 });
});

test.for([
  ['an input', {}, 'x'.repeat(262_144)],
  ['a result', { Parameters: { 'a.$': "States.Format('{}{}', $, $)" } }, 'x'.repeat(200_000)],
] as const)("%s of more than Amazon's 262,144 bytes", async ([, fields, input]) => {
  const { output } = await run(only(pass(fields)), { input, options: { dialect: 'amazon' } });
  expect(output).toMatchObject({ status: 'failed', error: 'States.DataLimitExceeded' });
});

test.for([
  ['text', 'ten chars.', "States.Format('{}{}', $x, $x)"],
  ['lists', [1], 'States.Array($x, $x)'],
] as const)(
  'a variable that doubles until it is more than 262,144 bytes of %s',
  async ([, x, twice]) => {
    const { output, events } = await run(
      chain({
        Init: pass({ Assign: { x, n: 0 } }),
        Loop: {
          Type: 'Choice',
          Choices: [{ Variable: '$n', NumericLessThan: 40, Next: 'Double' }],
          Default: 'Out',
        },
        Double: pass({ Assign: { 'x.$': twice, 'n.$': 'States.MathAdd($n, 1)' }, Next: 'Loop' }),
        Out: pass({ Parameters: { 'x.$': 'States.JsonToString($x)' } }),
      }),
      { options: { dialect: 'amazon' } },
    );
    expect(output).toMatchObject({ status: 'failed', error: 'States.DataLimitExceeded' });
    expect(events.length).toBeLessThan(100);
  },
);

test('the assignments of one state share a limit, and so do all variables', async () => {
  const amazon = { input: 'x'.repeat(250_000), options: { dialect: 'amazon' } } as const;
  const error = 'States.DataLimitExceeded';
  const both = only(pass({ Assign: { 'a.$': '$', 'b.$': '$' } }));
  expect((await run(both, amazon)).output).toMatchObject({ status: 'failed', error });
  const inTurn = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => `v${at}`);
    return chain(
      Object.fromEntries(names.map((name) => [name, pass({ Assign: { [`${name}.$`]: '$' } })])),
    );
  };
  expect((await run(inTurn(41), amazon)).output).toMatchObject({ status: 'succeeded' });
  expect((await run(inTurn(42), amazon)).output).toMatchObject({ status: 'failed', error });
});

test('bytes are counted, not characters', async () => {
  const input = 'é'.repeat(140_000);
  const { output } = await run(only(pass()), { input, options: { dialect: 'amazon' } });
  expect(output).toMatchObject({ error: 'States.DataLimitExceeded' });
});

test('a Map over many items gives as many results, in order', async () => {
  const items = Array.from({ length: scaled(100_000) }, (_, index) => index);
  const workflow = only({
    Type: 'Map',
    ItemsPath: '$',
    ItemProcessor: chain({ Keep: pass() }),
  });
  expect(await outputOf(workflow, { input: items, options: { dialect: 'agent' } })).toEqual(items);
});

test('a number past 2^53 loses precision, as in JavaScript', async () => {
  const workflow = only(pass({ Parameters: { 'n.$': 'States.MathAdd($.n, 1)' } }));
  expect(await outputOf(workflow, { input: { n: 2 ** 53 } })).toEqual({ n: 2 ** 53 });
});

test.for([
  ['a path into nothing', 'States.ArrayRange(0, 1000000000, 1)'],
  ['text without end', 'States.Base64Encode($.long)'],
  ['a text of texts', `States.Format('${'{}'.repeat(4_000)}'${', $.long'.repeat(4_000)})`],
  ['JSON of data that share parts', `States.JsonToString(States.Array($${', $'.repeat(4_000)}))`],
  ['JSON nested without end', `States.JsonToString(States.StringToJson($.deep))`],
] as const)('%s fails by name', async ([, call]) => {
  const input = { long: 'x'.repeat(20_000), deep: `${'['.repeat(20_000)}${']'.repeat(20_000)}` };
  const { output } = await run(only(pass({ Parameters: { 'x.$': call } })), {
    input,
    options: { dialect: 'amazon' },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.Runtime' });
});

test('an agent that returns a cycle or a value that is not JSON fails its task', async () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const value of [circle, new Date(), Number.NaN, () => {}]) {
    const { output } = await run(only(task()), { agents: { A: () => value as never } });
    expect(output).toMatchObject({ status: 'failed', error: 'States.TaskFailed' });
  }
});

test.for(['2026-02-30T00:00:00Z', '2026-01-01', 'soon'])(
  'a moment %s that is none fails the Wait',
  async (at) => {
    const { output } = await run(only({ Type: 'Wait', TimestampPath: '$.at' }), { input: { at } });
    expect(output).toMatchObject({ status: 'failed', error: 'States.Runtime' });
  },
);

test('deeply nested data exceeds the data limit', async () => {
  let deep: Json = 1;
  for (let depth = 0; depth < 5_000; depth += 1) deep = [deep];
  const { output } = await run(only(pass()), { input: deep, options: { dialect: 'amazon' } });
  expect(output).toMatchObject({ status: 'failed', error: 'States.DataLimitExceeded' });
});

test('an agent cannot change the data of another state', async () => {
  const shared = { list: [1] };
  const workflow = chain({
    One: task({ ResultPath: '$.one' }),
    Two: task({ Agent: 'B', ResultPath: '$.two' }),
  });
  const output = await outputOf(workflow, {
    agents: {
      A: () => shared,
      B: (input) => {
        (input.one.list as number[]).push(2);
        shared.list.push(3);
        return echo(input, { calls: 1, key: '' });
      },
    },
  });
  expect((output as { one: Json }).one).toEqual({ list: [1] });
});
