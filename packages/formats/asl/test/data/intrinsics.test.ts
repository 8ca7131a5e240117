import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { parseCall } from '../../src/data/intrinsic/parse.ts';
import { query } from './evaluate.ts';

const data = {
  name: 'Ada',
  n: 5,
  list: [1, 2, 3, 4, 5],
  doubles: [1, 2, 2, 3, 3, 3],
  stray: '{x} {}',
  letters: ['a', 'b', 'c', 'd'],
  one: { name: 'John', secret: 's' },
  other: { age: 30 },
  json: '{"name":"John"}',
  price: 'cost $5',
};

/** Section G of the specification of Agent State Language, by number. */
test.for<[string, string, Json]>([
  ['G24', "States.Format('{} has {} apples', 'John', 5)", 'John has 5 apples'],
  ['G24', "States.Format('Result: {}', States.MathAdd(5, 3))", 'Result: 8'],
  ['G25', 'States.ArrayRange(1, 6)', [1, 2, 3, 4, 5]],
  ['G25', 'States.ArrayRange(0, 10, 2)', [0, 2, 4, 6, 8]],
  ['G26', 'States.ArrayPartition($.list, 2)', [[1, 2], [3, 4], [5]]],
  ['G26', 'States.ArrayUnique($.doubles)', [1, 2, 3]],
  ['G26', 'States.ArrayGetItem($.letters, -1)', 'd'],
  ['G27', 'States.ArrayContains($.list, 3)', true],
  ['G27', 'States.ArrayContains($.list, 10)', false],
  ['G27', 'States.ArrayLength($.list)', 5],
  ['G27', 'States.ArrayConcat(States.Array(1, 2), States.Array(3, 4))', [1, 2, 3, 4]],
  ['G28', 'States.Merge($.one, $.other)', { name: 'John', secret: 's', age: 30 }],
  ['G28', "States.Pick($.one, 'name', 'age')", { name: 'John' }],
  ['G28', "States.Omit($.one, 'secret')", { name: 'John' }],
  ['G30', "States.Hash('hello', 'MD5')", '5d41402abc4b2a76b9719d911017c592'],
  [
    'G30',
    "States.Hash('hello', 'SHA-256')",
    '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  ],
  ['G31', "States.Base64Encode('hello')", 'aGVsbG8='],
  ['G31', "States.Base64Decode('aGVsbG8=')", 'hello'],
  ['G32', 'States.StringToJson($.json)', { name: 'John' }],
  ['G32', 'States.JsonToString($.one)', '{"name":"John","secret":"s"}'],
  ['G33', "States.TokenCount('hello world')", 3],
  ['G34', 'States.MathSubtract(10, 3)', 7],
  ['G34', 'States.MathMultiply(5, 4)', 20],
  ['B.5', 'States.Coalesce($.missing, null, $.n)', 5],
  ['G35', "States.Format('{}', $.price)", 'cost $5'],
])('%s %s', ([, call, expected]) => {
  expect(query(call, data, { dialect: 'agent' })).toEqual(expected);
});

test('G29 Merge is deep, and later values win', () => {
  const given = { a: { a: 1, b: { c: 2 } }, b: { a: 2, b: { d: 3 } } };
  expect(query('States.Merge($.a, $.b)', given, { dialect: 'agent' })).toEqual({
    a: 2,
    b: { c: 2, d: 3 },
  });
});

test('G33 Truncate cuts at about the given number of tokens', () => {
  const cut = query(
    'States.Truncate($.text, 50)',
    { text: 'x'.repeat(1_000) },
    { dialect: 'agent' },
  );
  expect(cut).toBe(`${'x'.repeat(200)}...`);
  const wide = query('States.Truncate($.text, 1)', { text: 'ééé' }, { dialect: 'agent' });
  expect(wide).toBe('éé...');
});

describe('failing', () => {
  const intrinsicFailure = expect.objectContaining({ error: 'States.IntrinsicFailure' }) as Error;

  test.for([
    // G30, G31, G32, G34
    "States.Hash('hello', 'CRC32')",
    "States.Base64Decode('@@@')",
    "States.StringToJson('nope')",
    'UnknownFunction()',
    'States.MathAdd(1, 2, 3)',
    "States.Pick('text', 'a')",
    'States.ArrayLength($.n)',
    'States.ArrayPartition($.list, 0)',
  ])('agent: %s', (call) => {
    expect(() => query(call, data, { dialect: 'agent' })).toThrow(intrinsicFailure);
  });

  test.for([
    "States.Format('{} {}', 'one')",
    "States.Format('{}', 'one', 'two')",
    "States.Format('{name} {}', 'one')",
    "States.Format('{0}', 'one')",
    "States.Format('a } b')",
    "States.Format($.stray, 'one')",
    'States.ArrayRange(0, 5)',
    'States.ArrayRange(0, 1000000000, 1)',
    'States.ArrayRange(0, 5, 0)',
    'States.ArrayGetItem($.list, -1)',
    'States.ArrayGetItem($.list, 5)',
    'States.MathRandom()',
    'States.MathRandom(5, 5)',
    'States.JsonMerge($.one, $.other, true)',
    "States.MathAdd('1', 2)",
    'States.Merge($.one, $.other)',
    'States.Array(1, 2',
  ])('amazon: %s', (call) => {
    expect(() => query(call, data)).toThrow(intrinsicFailure);
  });

  test('a text that is too long is not encoded or hashed', () => {
    const long = { text: 'x'.repeat(10_001) };
    for (const call of ['States.Base64Encode($.text)', "States.Hash($.text, 'MD5')"]) {
      expect(() => query(call, long)).toThrow(/10000 characters at most/);
    }
  });
});

/** Observed results of AWS. */
test.for<[string, Json]>([
  ['States.ArrayRange(0, 10, 3)', [0, 3, 6, 9]],
  ['States.ArrayRange(5, 1, -2)', [5, 3, 1]],
  ['States.ArrayGetItem($.letters, 1)', 'b'],
  ['States.MathAdd(1.49, 1.5)', 3],
  ['States.MathAdd(-0.5, 0)', 0],
  ['States.MathRandom(1, 3)', 2],
  ['States.MathRandom(1, 1000, 7)', query('States.MathRandom(1, 1000, 7)')],
  ['States.UUID()', '00000000-0000-4000-8000-000000000000'],
  ["States.StringSplit('a,b;;c', ',;')", ['a', 'b', 'c']],
  ["States.StringToJson('')", null],
  ['States.JsonMerge($.one, $.other, false)', { name: 'John', secret: 's', age: 30 }],
  ["States.Format('{} and {}', null, true)", 'null and true'],
  ["States.Format('{}', $.one)", '{name=John, secret=s}'],
  [String.raw`States.Format('\{\} is {}', 1)`, '{} is 1'],
  [String.raw`States.Format('it\'s {}', 1)`, "it's 1"],
  ['States.ArrayContains($.list, States.MathAdd(1, 1))', true],
  ['States.ArrayLength(States.Array())', 0],
  ["States.Array('a' , 1 ,null)", ['a', 1, null]],
])('amazon: %s', ([call, expected]) => {
  expect(query(call, data)).toEqual(expected);
});

test.for([
  [String.raw`States.Format('\n')`, String.raw`after "\" only ', \, { and } may stand`],
  ["States.Format('a)", 'a text is not closed'],
  ['States.Array(1,)', 'an argument is missing behind ","'],
  ['States.Array(1 2)', 'a "," or ")" is missing'],
  ['States.Array(1) x', 'something stands behind the last ")"'],
  [`${'States.Array('.repeat(30)}1${')'.repeat(30)}`, 'calls are nested more than 20 deep'],
] as const)('%s is not a call', ([text, fault]) => {
  expect(parseCall(text)).toEqual({ fault });
});

test('the usage of a run is in the context object', () => {
  const context = { Execution: { Usage: { tokens: 12, cost: 0.5 } } };
  const used = (call: string) => query(call, {}, { dialect: 'agent', context });
  expect([used('States.CurrentTokens()'), used('States.CurrentCost()')]).toEqual([12, 0.5]);
  expect(query('States.CurrentTokens()', {}, { dialect: 'agent' })).toBe(0);
});

test('merging does not change a prototype', () => {
  const evil = { a: {}, b: JSON.parse('{"__proto__": {"polluted": true}}') as Json };
  query('States.Merge($.a, $.b)', evil, { dialect: 'agent' });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
