import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { parsePath } from '../../src/data/path/parse.ts';
import { readPath } from '../../src/data/path/read.ts';
import { compileWrite } from '../../src/data/path/write.ts';
import { evaluation, query } from './evaluate.ts';

const store = {
  items: [
    { id: 'a', price: 5, tags: ['x'] },
    { id: 'b', price: 15 },
    { id: 'c', price: 25, tags: [] },
  ],
  owner: { name: 'Ada', 'first name': 'A.', "it's": true },
  none: null,
};

test.for<[string, Json]>([
  // G21, G22
  ['$.items[0].id', 'a'],
  ['$.items[-1].id', 'c'],
  ['$.items[1:3].id', ['b', 'c']],
  ['$.items[*].id', ['a', 'b', 'c']],
  ['$', store],
  ['$.none', null],
  ["$['owner']['first name']", 'A.'],
  ['$["owner"]["first name"]', 'A.'],
  [String.raw`$.owner['it\'s']`, true],
  ['$.items[:1].id', ['a']],
  ['$.items[-2:].id', ['b', 'c']],
  ['$.items[0:3:2].id', ['a', 'c']],
  ['$.items[0,2].id', ['a', 'c']],
  ["$.owner['name','first name']", ['Ada', 'A.']],
  ['$..price', [5, 15, 25]],
  ['$..[?(@.price > 10)].id', ['b', 'c']],
  ["$..[?(@.name == 'Ada')].name", ['Ada']],
  ['$.items[?(@.price > 10)].id', ['b', 'c']],
  ["$.items[?(@.price > 10 && @.id != 'c')].id", ['b']],
  ["$.items[?(@.id == 'a' || @.price >= 25)].id", ['a', 'c']],
  ['$.items[?(@.tags)].id', ['a', 'c']],
  ['$.items[?(!@.tags)].id', ['b']],
  ["$.items[?(@.id in ['a', 'b'])].id", ['a', 'b']],
  ["$.items[?(@.id nin ['a', 'b'])].id", ['c']],
  ['$.items[?((@.price < 10 || @.price > 20) && @.tags)].id', ['a', 'c']],
  ['$.items[?(@.id =~ /[AB]/i)].id', ['a', 'b']],
  ["$.items[?(@.tags contains 'x')].id", ['a']],
  ["$.items[?('b' CONTAINS @.id)].id", ['b']],
  ["$.items[?(@.tags subsetof ['x', 'y'])].id", ['a', 'c']],
  ["$.items[?(@.tags anyof ['x', 'y'])].id", ['a']],
  ["$.items[?(@.tags noneof ['x', 'y'])].id", ['c']],
  ["$.items[?(@.tags all ['x'])].id", ['a']],
  ['$.items[?(@.tags size 0)].id', ['c']],
  ['$.items[?(@.tags empty false)].id', ['a']],
  ['$.items[?(@.tags[*])].id', ['a', 'c']],
  ["$.items[?(@.tags[*] == ['x'])].id", ['a']],
  ["$.items[?(@.price == '15')].id", ['b']],
  ["$.items[?(@.price === '15')].id", []],
  ["$.items[?(@.price !== '15')].id", ['a', 'b', 'c']],
  // A dot may stand before a bracket, and blanks around the path and within brackets.
  ['$.items.[0].id', 'a'],
  ['$.items.[-1].[ "id" ]', 'c'],
  ['$.items.[*].id', ['a', 'b', 'c']],
  ["$.['owner'].['name']", 'Ada'],
  ['$.items.[?(@.price > 10)].id', ['b', 'c']],
  ['$.[?(@.items)].owner.name', ['Ada']],
  ['$.items[ 0 ].id', 'a'],
  ['$.items[0]id', 'a'],
  ['$.items[1:]length()', 2],
  ['$.items[*]id', ['a', 'b', 'c']],
  ["$['owner']name", 'Ada'],
  ['$.items[?(@.tags[0]=="x")]id', ['a']],
  ["$.items[?('x' in @.tags)].id", ['a']],
  ['$.items[ 0 , 2 ].id', ['a', 'c']],
  ['$.items[ ?( @.price > 10 ) ].id', ['b', 'c']],
  [' $.owner.name ', 'Ada'],
  ['\t$.owner.name\n', 'Ada'],
  ['$.items.length()', 3],
  ['$.items[*].price.sum()', 45],
  ['$.items[*].price.max()', 25],
  ['$.items[*].price.avg()', 15],
  ['$.items[0,1].price.stddev()', 5],
  ['$.owner.keys()', ['name', 'first name', "it's"]],
  // An indefinite path without values gives an empty list.
  ['$.missing[*].id', []],
  ['$.missing[1:3]', []],
  ['$.items[?(@.price > 100)]', []],
])('%s', ([path, expected]) => {
  expect(query(path, store)).toEqual(expected);
});

test.for(['$.missing', '$.items[9]', '$.owner.name.first', '$.items.id', '$missing', '$$.Nothing'])(
  '%s leads nowhere',
  (path) => {
    expect(readPath(path, evaluation(store))).toEqual({ found: false });
    expect(() => query(path, store)).toThrow(/could not be found in the input/);
    expect(() => query(path, store, { dialect: 'agent' })).toThrow(
      expect.objectContaining({ error: 'States.ParameterPathFailure' }),
    );
  },
);

test.for([
  'a-b',
  'a:b',
  'a@b',
  'a,b',
  'a&b',
  'a=b',
  'done?',
  'a|b',
  '1a',
  'ünï',
  '日本',
  '$a',
  'a/b',
  'a!b',
])('a name may be %s', (name) => {
  expect(query(`$.${name}`, { [name]: 1 })).toBe(1);
  expect(query(`$.list[0]${name}`, { list: [{ [name]: 1 }] })).toBe(1);
});

test('the roots are the data, the context object and the variables', () => {
  const more = { context: { State: { Name: 'S' } }, variables: { count: { n: 3 } } };
  expect(query('$$.State.Name', {}, more)).toBe('S');
  expect(query('$count.n', {}, more)).toBe(3);
});

test.for([
  ['items', 'it does not begin with "$"'],
  ['$.', 'a name is missing behind "."'],
  ['$.a[', 'is not a step'],
  ['$.a[0', 'a "[" is not closed'],
  ['$.a[x]', 'is not a step'],
  ['$a b', '" " does not belong there'],
  ["$['a", 'a text is not closed'],
  ['$.a[?(@.b =~ x)]', 'a pattern such as "/a.*/i" is missing'],
  ['$.a[?(@.b =~ /(?=x)/)]', 'a pattern is not valid'],
  ['$.a.', 'a name is missing behind "."'],
  ['$.a...b', 'a name is missing behind "."'],
  ['$. a', 'a name is missing behind "."'],
  ['$.a[?@.b]', 'a "(" is missing behind "?"'],
  ['$.a.explode()', 'there is no function "explode()" in paths'],
  [`$${'.a'.repeat(200)}`, 'it has more than 100 steps'],
  [`$.a[?(${'('.repeat(50)}@.b${')'.repeat(50)})]`, 'nested more than'],
] as const)('%s is not a path', ([text, fault]) => {
  expect(parsePath(text)).toEqual({ fault: expect.stringContaining(fault) as string });
});

test('no name reads a prototype', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect(readPath(`$.${name}`, evaluation({}))).toEqual({ found: false });
  }
  const own = JSON.parse('{"__proto__": {"a": 1}}') as Json;
  expect(query('$.__proto__.a', own)).toBe(1);
});

test('a search stops at a limit', () => {
  const wide = Array.from({ length: 2_000 }, () => Array.from({ length: 1_000 }, () => 1));
  expect(() => query('$..*', wide)).toThrow(/more than 1,000,000 places/);
});

// Each of these would hold the event loop.
test.for<[string, Json]>([
  ['$.l[?(@.a in $.l)]', { l: Array.from({ length: 100_000 }, () => 1) }],
  ['$.l[?(@.a nin $.l)]', { l: Array.from({ length: 10_000 }, (_, a) => ({ a })) }],
  [
    '$.l[?($.l == $.m)]',
    { l: Array.from({ length: 10_000 }, () => 1), m: Array.from({ length: 10_000 }, () => 1) },
  ],
  [
    '$.l[?($.t < $.u)]',
    { l: Array.from({ length: 20_000 }, () => 1), t: 'a'.repeat(90_000), u: 'a'.repeat(90_000) },
  ],
  ['$.l[?($.t =~ /a*/)]', { l: Array.from({ length: 20_000 }, () => 1), t: 'a'.repeat(90_000) }],
  ['$.l[?($.l[?(@.a == 1)])]', { l: Array.from({ length: 10_000 }, () => 1) }],
  [`$.l[${'0,'.repeat(9_999)}0][${'0,'.repeat(9_999)}0]`, { l: [[1]] }],
])('the comparisons of %s stop at a limit', ([path, data]) => {
  expect(() => query(path, data)).toThrow('more than 1,000,000 places');
});

test('a filter may compare a thousand items with a thousand others', () => {
  const l = Array.from({ length: 1_000 }, (_, a) => ({ a }));
  const m = l.map(({ a }) => a + 500);
  expect(query('$.l[?(@.a in $.m)]', { l, m })).toHaveLength(500);
});

test.for<[string, Json, boolean]>([
  ['@.a == $.b', { a: { x: 1, y: [2] }, b: { x: 1, y: [2] } }, true],
  ['@.a == $.b', { a: { x: 1, y: 2 }, b: { y: 2, x: 1 } }, false],
  ['@.a == $.b', { a: [], b: {} }, false],
  ['@.a == $.b', { a: null, b: {} }, false],
  ['@.a == $.b', { a: [1, [2]], b: [1, [3]] }, false],
  ['@.a != $.b', { a: [{ c: null }], b: [{ c: null }] }, false],
])('%s of %o', ([condition, data, expected]) => {
  expect(query(`$[?(${condition})]`, data)).toHaveLength(expected ? 1 : 0);
});

describe('writing', () => {
  const write = (path: string, root: Json, value: Json) => compileWrite(path)(root, value);

  test.for<[string, Json, Json]>([
    ['$', { a: 1 }, 'new'],
    ['$.b', { a: 1 }, { a: 1, b: 'new' }],
    ['$.a.b.c', {}, { a: { b: { c: 'new' } } }],
    ["$['a b']", {}, { 'a b': 'new' }],
    ['$.list[1]', { list: [1, 2] }, { list: [1, 'new'] }],
    ['$.list.[1]', { list: [1, 2] }, { list: [1, 'new'] }],
    [' $.b ', { a: 1 }, { a: 1, b: 'new' }],
    ['$.list[0].x', { list: [{}] }, { list: [{ x: 'new' }] }],
    ['$.a', null, { a: 'new' }],
  ])('%s into %j', ([path, root, expected]) => {
    expect(write(path, root, 'new')).toEqual(expected);
  });

  test.for<[string, Json]>([
    ['$.a.b', { a: 'text' }],
    ['$.a.b', { a: [1] }],
    ['$.a', 5],
    ['$.list[2]', { list: [1, 2] }],
    ['$.list[0]', {}],
  ])('%s cannot be written into %j', ([path, root]) => {
    expect(() => write(path, root, 'new')).toThrow(
      expect.objectContaining({ error: 'States.ResultPathMatchFailure' }),
    );
  });

  test('the original data does not change', () => {
    const before = Object.freeze({ a: Object.freeze({ b: 1 }), c: Object.freeze([1]) });
    const after = write('$.a.b', before, 2) as Record<string, unknown>;
    expect(before.a.b).toBe(1);
    expect(after['c']).toBe(before.c);
  });

  test.for(['$.__proto__.polluted', '$.constructor.prototype.polluted', "$['__proto__']"])(
    '%s is written into the data and nowhere else',
    (path) => {
      const after = write(path, {}, true);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
      expect(query(path, after)).toBe(true);
    },
  );
});
