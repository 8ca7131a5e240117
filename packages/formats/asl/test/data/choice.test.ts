import type { Json, JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { compileGlob } from '../../src/data/choice.ts';
import { compileSearch } from '../../src/data/pattern.ts';
import { agentDialect, chain, failure, outputOf, pass, run } from '../run.ts';

/** Whether a rule holds, in a workflow that reports it. */
async function holds(rule: JsonObject, input: Json, dialect = 'agent'): Promise<boolean> {
  const workflow = chain({
    C: { Type: 'Choice', Choices: [{ ...rule, Next: 'Y' }], Default: 'N' },
    Y: pass({ Result: true, End: true }),
    N: pass({ Result: false }),
  });
  return (await outputOf(workflow, { input, options: { dialect } })) as boolean;
}

const v = { Variable: '$.v' };
const score = (operator: string, than: number) => ({ ...v, [operator]: than });

/** Section G of the specification of Agent State Language, by number. */
test.for<[string, JsonObject, Json, boolean]>([
  ['G36', score('NumericGreaterThan', 50), { v: 75 }, true],
  ['G36', score('NumericGreaterThan', 50), { v: 25 }, false],
  ['G36', score('NumericGreaterThanEquals', 80), { v: 80 }, true],
  ['G36', score('NumericGreaterThanEquals', 80), { v: 79.9 }, false],
  [
    'G38',
    { And: [score('NumericGreaterThanEquals', 50), score('NumericLessThan', 80)] },
    { v: 65 },
    true,
  ],
  [
    'G38',
    { And: [score('NumericGreaterThanEquals', 50), score('NumericLessThan', 80)] },
    { v: 90 },
    false,
  ],
  [
    'G38',
    {
      Or: [
        { ...v, StringEquals: 'a' },
        { ...v, StringEquals: 'b' },
      ],
    },
    { v: 'b' },
    true,
  ],
  ['G38', { Not: { ...v, BooleanEquals: true } }, { v: false }, true],
  ['G40', { ...v, StringMatches: '*.pdf' }, { v: 'document.pdf' }, true],
  ['G40', { ...v, StringMatches: '*.pdf' }, { v: 'x.PDF' }, false],
  ['G40', { ...v, StringMatches: 'log-*-x' }, { v: 'log--x' }, true],
  ['G41', { ...v, IsNull: true }, { v: null }, true],
  ['G41', { ...v, IsNull: true }, { v: 'text' }, false],
  ['G41', { ...v, IsPresent: true }, { v: 'value' }, true],
  ['G41', { ...v, IsPresent: true }, {}, false],
  ['G42', { ...v, IsPresent: true }, { v: null }, true],
  ['G44', { ...v, BooleanEquals: true }, { v: 'true' }, false],
  ['G44', { ...v, BooleanEquals: true }, { v: 1 }, false],
  ['G44', { ...v, BooleanEquals: false }, { v: false }, true],
  ['G44', { ...v, BooleanEquals: false }, { v: null }, false],
  ['G45', { ...v, StringGreaterThan: '9' }, { v: '10' }, false],
  ['G45', { ...v, NumericEquals: 42 }, { v: '42' }, false],
  ['G46', { ...v, StringEqualsPath: '$.w' }, { v: 'x', w: 'x' }, true],
  ['G46', { ...v, BooleanEqualsPath: '$.w' }, { v: false, w: false }, true],
  ['G46', { ...v, NumericEqualsPath: '$.w' }, { v: 5, w: 5.0 }, true],
  ['G47', { ...v, IsTimestamp: true }, { v: '2026-01-20T10:30:00Z' }, true],
  ['G48', { 'Variable.$': 'States.ArrayLength($.v)', NumericEquals: 0 }, { v: [] }, true],
  // A comparison with a missing value is false.
  ['E', { ...v, StringEquals: 'x' }, {}, false],
  ['E', { ...v, IsPresent: false }, {}, true],
  ['E', { ...v, IsNull: true }, {}, false],
  ['E', { ...v, StringMatches: 'a?c' }, { v: 'abc' }, false],
])('%s %j of %j', async ([, rule, input, expected]) => {
  expect(await holds(rule, input)).toBe(expected);
});

/** A run begins at 2026-01-20T10:30:00Z. */
test.for<[string, string, string, boolean]>([
  ['TimestampLessThanEquals', '-5m', '2026-01-20T10:25:00Z', true],
  ['TimestampLessThanEquals', '-5m', '2026-01-20T10:25:01Z', false],
  ['TimestampGreaterThan', '2h', '2026-01-20T13:29:00+01:00', false],
  ['TimestampGreaterThan', '2h', '2026-01-20T13:31:00Z', true],
  ['TimestampLessThan', '999999999999w', '2026-01-20T10:30:00Z', true],
  ['TimestampLessThan', '-5m', 'soon', false],
])('%s can be relative to now: %s of %s', async ([operator, fromNow, at, expected]) => {
  expect(await holds({ ...v, [operator]: fromNow }, { v: at })).toBe(expected);
});

test('G37 the first rule that holds applies', async () => {
  const rule = (least: number) => ({
    ...score('NumericGreaterThanEquals', least),
    Next: `R${least}`,
  });
  const workflow = chain({
    C: { Type: 'Choice', Choices: [rule(90), rule(80), rule(70)] },
    R90: pass({ Result: 90, End: true }),
    R80: pass({ Result: 80, End: true }),
    R70: pass({ Result: 70 }),
  });
  expect(await outputOf(workflow, { input: { v: 95 } })).toBe(90);
  expect(await outputOf(workflow, { input: { v: 85 } })).toBe(80);
});

test('G39 conditions nest', async () => {
  const rule = {
    Or: [
      {
        And: [
          { Variable: '$.type', StringEquals: 'premium' },
          { Variable: '$.score', NumericGreaterThanEquals: 80 },
        ],
      },
      { Variable: '$.role', StringEquals: 'admin' },
    ],
  };
  expect(await holds(rule, { type: 'premium', score: 90, role: 'user' })).toBe(true);
  expect(await holds(rule, { type: 'basic', score: 30, role: 'admin' })).toBe(true);
  expect(await holds(rule, { type: 'basic', score: 60, role: 'user' })).toBe(false);
});

test.for(['amazon', 'agent'])(
  'a comparison reads the context object on both sides in %s',
  async (dialect) => {
    const rules: readonly (readonly [JsonObject, boolean])[] = [
      [{ ...v, NumericEqualsPath: '$$.Execution.Input.limit' }, true],
      [{ ...v, NumericLessThanPath: '$$.Execution.Input.limit' }, false],
      [{ ...v, NumericGreaterThanEqualsPath: "$$['Execution']['Input'].limits[0]" }, true],
      [{ Variable: '$$.Execution.Input.limit', NumericEqualsPath: '$.v' }, true],
      [{ Variable: '$$.State.Name', StringEqualsPath: '$.state' }, true],
      [
        { Variable: '$$.State.EnteredTime', TimestampLessThanEqualsPath: '$$.State.EnteredTime' },
        true,
      ],
      [{ Variable: '$$.State.Retries', IsPresent: false }, true],
    ];
    const input = { v: 5, limit: 5, limits: [5], state: 'C' };
    for (const [rule, expected] of rules)
      expect([rule, await holds(rule, input, dialect)]).toEqual([rule, expected]);
  },
);

test('G43 without a rule that holds and a Default, the state has its own error', async () => {
  const workflow = chain({
    C: { Type: 'Choice', Choices: [{ ...v, StringEquals: 'x', Next: 'D' }] },
    D: pass(),
  });
  const amazon = await run(workflow, { input: { v: 'y' } });
  expect(amazon.output).toMatchObject({ status: 'failed', error: 'States.Runtime' });
  const agent = await run(workflow, { input: { v: 'y' }, ...agentDialect });
  expect(agent.output).toMatchObject({ status: 'failed', error: 'States.NoChoiceMatched' });
});

test("a comparison with a missing value fails in Amazon's dialect", async () => {
  await expect(holds({ ...v, StringEquals: 'x' }, {}, 'amazon')).rejects.toThrow(/States.Runtime/);
  await expect(holds({ Variable: '$', IsNull: true }, null, 'amazon')).rejects.toThrow(
    /States.Runtime/,
  );
  expect(await holds({ Variable: '$', IsNull: true }, null)).toBe(true);
  expect(await holds({ ...v, IsPresent: false }, {}, 'amazon')).toBe(true);
});

const moments = ['2026-01-20T10:30:00Z', '2026-01-20T11:30:00+01:00', '2026-01-20T10:30:00.5Z'];

test.for<[string, string, string, boolean]>([
  ['TimestampEquals', moments[0]!, moments[1]!, true],
  ['TimestampLessThan', moments[0]!, moments[2]!, true],
  ['TimestampGreaterThanEquals', moments[1]!, moments[0]!, true],
  ['TimestampGreaterThan', moments[0]!, moments[2]!, false],
  ['TimestampLessThanEquals', 'no time', moments[2]!, false],
])('%s %s, %s', async ([operator, value, operand, expected]) => {
  expect(await holds({ ...v, [operator]: operand }, { v: value })).toBe(expected);
  expect(await holds({ ...v, [`${operator}Path`]: '$.w' }, { v: value, w: operand })).toBe(
    expected,
  );
});

test.for<[string, string, boolean]>([
  ['*', '', true],
  ['*', 'a\nb', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'ac', true],
  ['a*c', 'acd', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['*a*b*', 'xxbxxaxx', false],
  ['a*a', 'a', false],
  [String.raw`a\*c`, 'a*c', true],
  [String.raw`a\*c`, 'abc', false],
  [String.raw`a\\*`, String.raw`a\bc`, true],
  ['', '', true],
  ['', 'x', false],
  ['a?c', 'a?c', true],
])('glob %s of %s', ([pattern, text, expected]) => {
  expect(compileGlob(pattern)(text)).toBe(expected);
});

test('a pattern of many stars takes no longer than a search', () => {
  const pattern = `${'*a'.repeat(1_000)}*b`;
  expect(compileGlob(pattern)('a'.repeat(100_000))).toBe(false);
});

test('a search finds what indexOf finds', () => {
  for (let seed = 0; seed < 3_000; seed += 1) {
    const bits = ((seed * 2_654_435_761) >>> 0).toString(2).padStart(32, '0');
    const [wanted, text] = [bits.slice(0, seed % 9), bits.slice(seed % 9)];
    const search = compileSearch(wanted);
    for (const from of [0, 3, text.length])
      expect(search(text, from)).toBe(text.indexOf(wanted, from));
  }
});

test('a search reads each character a few times, however much the text repeats', () => {
  const [length, text] = [20_000, 'a'.repeat(20_000)];
  let reads = 0;
  const counted = new Proxy(Object(text) as object, {
    get(target, key) {
      if (key === 'length') return length;
      reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  }) as unknown as string;
  const half = 'a'.repeat(5_000);
  expect(compileSearch(`${half}b${half}`)(counted, 0)).toBe(-1);
  expect(reads).toBeLessThan(4 * length);
});

test('an error in a rule fails the Choice', async () => {
  const workflow = chain({
    C: {
      Type: 'Choice',
      Choices: [{ 'Variable.$': 'States.ArrayLength($.v)', NumericEquals: 0, Next: 'D' }],
    },
    D: pass(),
  });
  const { output } = await run(workflow, { input: { v: 5 }, options: { dialect: 'agent' } });
  expect(output).toMatchObject({ error: 'States.IntrinsicFailure' });
  expect(failure('x')).toBeInstanceOf(Error);
});
