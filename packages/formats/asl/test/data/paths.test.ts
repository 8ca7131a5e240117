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
  ['$.items[1:3].id', ['b', 'c']],
  ['$.items[*].id', ['a', 'b', 'c']],
  ['$', store],
  ['$.none', null],
  ["$['owner']['first name']", 'A.'],
  ['$["owner"]["first name"]', 'A.'],
  [String.raw`$.owner['it\'s']`, true],
  ['$.items[(@.length-1)].id', 'c'],
  ['$.items[(@.length() - 3)].id', 'a'],
  ['$.items[( @.size()-2 )].id', 'b'],
  ['$.items[:1].id', ['a']],
  ['$.items[-2:].id', ['b', 'c']],
  ['$.items[-9:].id', ['a', 'b', 'c']],
  ['$.items[:-1].id', ['a', 'b']],
  ['$.items[5:].id', []],
  // With two bounds, negative ones do not count from the end, and the step is ignored.
  ['$.items[0:-1].id', []],
  ['$.items[0:9:2].id', ['a', 'b', 'c']],
  ['$.items[1::2].id', ['b', 'c']],
  ['$.items[0,2].id', ['a', 'c']],
  // Several names give one object, with the fields that there are.
  ["$.owner['name','first name']", { name: 'Ada', 'first name': 'A.' }],
  ["$.owner['name','none']", { name: 'Ada' }],
  ["$.items[*]['id','none']", [{ id: 'a' }, { id: 'b' }, { id: 'c' }]],
  [
    "$..['id','tags']",
    [
      { id: 'a', tags: ['x'] },
      { id: 'c', tags: [] },
    ],
  ],
  ['$..price', [5, 15, 25]],
  ['$...price', [5, 15, 25]],
  ['$..[?(@.price > 10)].id', ['b', 'c']],
  ["$..[?(@.name == 'Ada')].name", ['Ada']],
  ['$..tags[*]', ['x']],
  ['$.items[?(@.price > 10)].id', ['b', 'c']],
  ["$.items[?(@.price > 10 && @.id != 'c')].id", ['b']],
  ["$.items[?(@.id == 'a' || @.price >= 25)].id", ['a', 'c']],
  ['$.items[?(@.tags)].id', ['a', 'c']],
  ['$.items[?(!@.tags)].id', ['b']],
  // Parentheses do not group.
  ['$.items[?((@.price < 10 || @.price > 20) && @.none)].id', ['a']],
  ['$.items[?(@.id =~ /[AB]/i)].id', ['a', 'b']],
  ['$.items[?(/[ab]/ =~ @.id)].id', ['a', 'b']],
  ['$.items[?(@.price =~ /.5/)].id', ['b', 'c']],
  ["$.items[?('b' == @.id)].id", ['b']],
  ['$.items[?(@.id == b)].id', ['b']],
  ["$.items[?(@.price == '15')].id", ['b']],
  ['$.items[?(@.price == $.items[1].price)].id', ['b']],
  ['$.items[?(@.id == $.items[2].id)].id', ['c']],
  ["$.items[?(@.id != 'a && b')].id", ['a', 'b', 'c']],
  ['$.owner[?(@.name)].name', ['Ada']],
  // A dot may stand before a bracket, and blanks around the path and within brackets.
  ['$.items.[0].id', 'a'],
  ['$.items.[2].[ "id" ]', 'c'],
  ['$.items.[*].id', ['a', 'b', 'c']],
  ["$.['owner'].['name']", 'Ada'],
  ['$.items.[?(@.price > 10)].id', ['b', 'c']],
  ['$.[?(@.items)].owner.name', ['Ada']],
  ['$.items[ 0 ].id', 'a'],
  ['$.items[0]id', 'a'],
  ['$.items[*]id', ['a', 'b', 'c']],
  ["$['owner']name", 'Ada'],
  ["$.items[?(@.tags[0]=='x')]id", ['a']],
  ['$.items[ 0 , 2 ].id', ['a', 'c']],
  ['$.items[ ?( @.price > 10 ) ].id', ['b', 'c']],
  [' $.owner.name ', 'Ada'],
  ['\t$.owner.name\n', 'Ada'],
  // An indefinite path without values gives an empty list.
  ['$.missing[*].id', []],
  ['$.missing[1:3]', []],
  ['$.items[?(@.price > 100)]', []],
  ['$.items[*].missing', []],
  ['$.items[*].tags', [['x'], []]],
  ['$.items[*].missing.deep', []],
])('%s', ([path, expected]) => {
  expect(query(path, store)).toEqual(expected);
});

test.for<[string, Json, Json[]]>([
  ['@.v', [{ v: false }, { v: 0 }, { v: null }, {}, 1], [{ v: false }, { v: 0 }]],
  ['!@.v', [{ v: false }, { v: null }, {}, 1], [{ v: null }, {}, 1]],
  ["@.v != 'x'", [{ v: 'y' }, { v: null }, { v: [] }, {}], [{ v: 'y' }, { v: null }]],
  ['@.v == true', [{ v: true }, { v: 'true' }, { v: 1 }], [{ v: true }, { v: 'true' }]],
  ['@.v == null', [{ v: null }, { v: 'null' }, {}], [{ v: null }, { v: 'null' }]],
  ['@.v > 9', [{ v: 10 }, { v: '10' }, { v: 'a' }, { v: null }], [{ v: 10 }, { v: 'a' }]],
  ['@.v <= 1e1', [{ v: 10 }, { v: 11 }, { v: true }], [{ v: 10 }]],
  ['@.v >= false', [{ v: false }, { v: true }], [{ v: false }, { v: true }]],
  [
    '@.v == @.w',
    [
      { v: 1, w: 1 },
      { v: 1, w: '1' },
      { v: '1', w: 1 },
      { v: [], w: [] },
    ],
    [
      { v: 1, w: 1 },
      { v: 1, w: '1' },
    ],
  ],
  [String.raw`@.v == 'it\'s'`, [{ v: "it's" }], [{ v: "it's" }]],
  ['@.v == /a/b', [{ v: '/a/b' }], [{ v: '/a/b' }]],
  // Only single quotes delimit a text.
  ['@.v == "x"', [{ v: 'x' }, { v: '"x"' }], [{ v: '"x"' }]],
  ["@ == 'x'", ['x', 'y', 1], ['x']],
])('a filter %s of %j', ([condition, list, expected]) => {
  expect(query(`$[?(${condition})]`, list)).toEqual(expected);
});

test('a filter of a path into the context object or a variable begins there', () => {
  const more = { context: { list: [1, 2], n: 2 }, variables: { v: { list: [1, 2], n: 1 } } };
  expect(query('$$.list[?(@ == $.n)]', {}, more)).toEqual([2]);
  expect(query('$v.list[?(@ == $.n)]', {}, more)).toEqual([1]);
});

test('a search at any depth goes depth first', () => {
  expect(query('$..n', { a: { n: 1, b: { n: 2 } }, n: 3, c: [{ n: 4 }] })).toEqual([3, 1, 2, 4]);
  expect(query('$..*', { a: [1], b: 2 })).toEqual([[1], 2, 1]);
});

test.for(['$', '$[*]', '$..a', 'States.Array($)'])('%s of null fails, as in AWS', (text) => {
  expect(() => query(text, null)).toThrow('Unable to apply Path transformation to null');
});

test('paths into the context object and variables do not need data', () => {
  const more = { context: { a: 1 }, variables: { v: null } };
  expect([query('$$.a', null, more), query('$v', null, more)]).toEqual([1, null]);
  expect(query('$', null, { dialect: 'agent' })).toBeNull();
});

test('in the agent dialect negative indexes count from the end', () => {
  const agent = { dialect: 'agent' } as const;
  expect(query('$.items[-1].id', store, agent)).toBe('c');
  expect(query('$.items[0:-1].id', store, agent)).toEqual(['a', 'b']);
});

// Only [*] skips what a path does not find.
test.for([
  '$.items[-1].id',
  '$.items[0,9].id',
  '$.items[0:2].tags',
  '$.items[?(@.price > 10)].tags',
  '$..items[0:3].tags',
  "$.owner['name','first name'].x",
  '$.owner[1:]',
  '$.owner.name[?(@.x)]',
  '$.none[0]',
  '$.none[?(@.x)]',
  '$.items.length()',
  '$.owner.name.sum()',
  '$.*.name',
])('%s leads nowhere at all', (path) => {
  expect(readPath(path, evaluation(store))).toEqual({ found: false });
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
  'a(b)',
  "it's",
  'a*',
  'a]',
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
  ['$.a..', 'a name is missing behind ".."'],
  ['$.a[:]', 'a slice has no bounds'],
  ['$. a', 'a name is missing behind "."'],
  ['$.a[?@.b]', 'a "(" is missing behind "?"'],
  ['$.a[?()]', 'a filter compares nothing'],
  ['$.a[?(@.b', 'a ")" is missing in a filter'],
  ['$.a[?(@.b ==)]', 'a value is missing in a filter'],
  ["$.a[?(@.b in ['x'])]", '" " does not belong there'],
  ['$.a[?(@.b[*])]', 'can lead to several places'],
  ['$.a[?(@.b == $$.c)]', 'a filter cannot read "$$"'],
  [`$${'.a'.repeat(200)}`, 'it has more than 100 steps'],
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
  expect(() => query('$..*', wide)).toThrow(/more than 200,000 places/);
});

// Each of these would hold the event loop.
test.for<[string, Json]>([
  [
    '$.l[?($.t == $.u)]',
    { l: Array.from({ length: 40_000 }, () => 1), t: 'a'.repeat(90_000), u: 'a'.repeat(90_000) },
  ],
  [
    '$.l[?($.t < $.u)]',
    { l: Array.from({ length: 40_000 }, () => 1), t: 'a'.repeat(90_000), u: 'a'.repeat(90_000) },
  ],
  ['$.l[?($.t =~ /a*/)]', { l: Array.from({ length: 40_000 }, () => 1), t: 'a'.repeat(90_000) }],
  [`$.l[${'0,'.repeat(19_999)}0][${'0,'.repeat(19_999)}0]`, { l: [[1]] }],
])('the comparisons of %s stop at a limit', ([path, data]) => {
  expect(() => query(path, data)).toThrow('more than 200,000 places');
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
