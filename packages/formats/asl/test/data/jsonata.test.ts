import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { inAll } from '../../../../../.config/scaled.ts';
import { compileExpression, compileJsonata } from '../../src/data/jsonata/expression.ts';
import { Work } from '../../src/data/work.ts';
import { world } from './evaluate.ts';

function value(expression: string, input: Json = {}, variables: Record<string, Json> = {}): Json {
  return compileExpression(
    `{% ${expression} %}`,
    'Output',
  )({
    states: { input },
    variables,
    world,
  });
}

test.for<[string, Json, Json]>([
  ['$states.input.a + 1', { a: 1 }, 2],
  ['$states.input.a.b', { a: { b: 'deep' } }, 'deep'],
  ['$states.input.list', { list: [5] }, [5]],
  ['$states.input.list.n', { list: [{ n: 1 }, { n: 2 }] }, [1, 2]],
  ['$states.input.list[n > 1].n', { list: [{ n: 1 }, { n: 2 }] }, 2],
  ['$sum($states.input.list)', { list: [1, 2, 3] }, 6],
  ['$partition([1, 2, 3], 2)', {}, [[1, 2], [3]]],
  ['$range(0, 10, 5)', {}, [0, 5, 10]],
  ['$range(1, 9, 9)', {}, 1],
  ['$range(1, 9, 9)[]', {}, [1]],
  ['$partition([0], 2)', {}, [[0]]],
  ['$hash("hello", "MD5")', {}, '5d41402abc4b2a76b9719d911017c592'],
  ['$random(42)', {}, 0.7275636800328681],
  ['$sort($shuffle([1, 2, 3, 4]))', {}, [1, 2, 3, 4]],
  ['$range(-1.7, 2, 1)', {}, [-1, 0, 1, 2]],
  ['$partition([1, 2, 3], 1.9)', {}, [[1], [2], [3]]],
  // Functions as arguments and results, and calls that leave arguments open.
  ['($twice := function($f){function($x){$f($f($x))}}; $twice(function($n){$n + 3})(7))', {}, 13],
  ['($first := $substring(?, 0, ?); $first("Hello", 4))', {}, 'Hell'],
  ['($domain := $substringAfter(?, "@") ~> $uppercase(?); $domain("a@b"))', {}, 'B'],
  ['($sum := $map(?, function($n){$n * $n}) ~> $sum; [1..3] ~> $sum())', {}, 14],
  ['($half := $partition(?, 2); $half([1, 2, 3]))', {}, [[1, 2], [3]]],
  // As in JSONata 2.0.6.
  ['[1] ~> $map(function($n){$n + 1})[]', {}, [2]],
  ['[1] ~> $map(function($n){$n + 1})', {}, 2],
  ['$number("0x1F") + $number("0o17") + $number("0B11")', {}, 49],
  ['$fromMillis(1521801216617, "[h]:[m] [PN] [Pn] [PNn]")', {}, '10:33 AM am am'],
  ['$fromMillis(1521801216617, "[[PN] [PN]")', {}, '[PN] AM'],
  // AWS shows numbers that JSON lacks as texts.
  ['[1 / 0, -1 / 0, 1e308 * 10]', {}, ['Infinity', '-Infinity', 'Infinity']],
  // A function of a missing value is undefined.
  ['{"a": $join($states.input.x), "b": $pad($states.input.x, 2), "c": 1}', {}, { c: 1 }],
  [
    '{"a": $partition($states.input.x, 2), "b": $hash($states.input.x, "MD5"), "c": 1}',
    {},
    { c: 1 },
  ],
  [
    '{"a": $parse($states.input.x), "b": $fromMillis($states.input.x, "[PN]"), "c": 1}',
    {},
    { c: 1 },
  ],
  ['$pad("a💩", 4, "💩x")', {}, 'a💩💩x'],
  ['$pad("💩", -3, "ab")', {}, 'ab💩'],
  ['$parse("-0")', {}, 0],
  ['$parse("[1, 2]")', {}, [1, 2]],
  ['$millis()', {}, world.now()],
  ['$now()', {}, '2026-01-20T10:30:00.000Z'],
  ['$now("[Y0001]-[M01]")', {}, '2026-01'],
  ['$pad("x", -3, "0")', {}, '00x'],
  ['$join(["a", "b"], "-")', {}, 'a-b'],
  ['$match("ab12", /([a-z]+)(\\d+)/).groups', {}, ['ab', '12']],
  ['$replace("a.b.c", /\\./, "-")', {}, 'a-b-c'],
  ['$split("a1b2c", /\\d/)', {}, ['a', 'b', 'c']],
  ['$contains("Hello", /hello/i)', {}, true],
  ['{"a": $states.input.missing, "b": 1}', {}, { b: 1 }],
  ['$map([1, 2], function($n) { $n * 2 })', {}, [2, 4]],
  ['null', {}, null],
  ['$distinct([1, "1", {"a": 1, "b": 2}, {"b": 2, "a": 1}, 1])', {}, [1, '1', { a: 1, b: 2 }]],
  ['$distinct($states.input.list.n)', { list: [{ n: 1 }, { n: 1 }] }, 1],
  ['$lookup($states.input, "n")', [{ n: 1 }, { n: [2, 3] }, {}], [1, 2, 3]],
  ['$lookup($states.input, "a")', { a: { b: 1 } }, { b: 1 }],
  ['$exists($lookup($states.input, "constructor"))', {}, false],
  ['$merge($states.input)', [{ a: 1, b: 1 }, { b: 2 }], { a: 1, b: 2 }],
  ['$sift($states.input, function($v) { $v > 1 })', { a: 1, b: 2 }, { b: 2 }],
  ['$sift($states.input, function($v, $k) { $k = "a" })', { a: 1, b: 2 }, { a: 1 }],
  ['$sift($states.input, $boolean)', { a: 0, b: 2 }, { b: 2 }],
  ['$spread($states.input)', { a: 1, b: 2 }, [{ a: 1 }, { b: 2 }]],
  ['$spread($states.input)', [{ a: 1, b: 2 }, 3], [{ a: 1 }, { b: 2 }, 3]],
  ['$toMillis("2026-01-20T10:30:00Z")', {}, world.now()],
  ['$toMillis("2028-02-29")', {}, Date.UTC(2028, 1, 29)],
  ['$toMillis("20260120", "[Y0001][M01][D01]")', {}, Date.UTC(2026, 0, 20)],
  ['$toMillis("10:30", "[H]:[m]")', {}, world.now()],
  [
    '$toMillis("Tuesday, 20 January 2026 10:30:00.0 GMT+00:00", "[FNn], [D] [MNn] [Y] [H]:[m]:[s].[f] [z]")',
    {},
    world.now(),
  ],
])('%s of %j', ([expression, input, expected]) => {
  expect(value(expression, input)).toEqual(expected);
});

test('all random values of an expression follow from one value of the step, and are the same again', () => {
  const evaluate = compileExpression(
    '{% {"uuids": [1..500].$uuid(), "numbers": [1..500].$random(), "list": $shuffle([1..500])} %}',
    'Output',
  );
  let drawn = 0;
  const once = (seed: string) => {
    const uuid = () => ((drawn += 1), seed);
    const random = () => (drawn += 1);
    return evaluate({ states: { input: {} }, variables: {}, world: { ...world, uuid, random } });
  };
  const [first, again, other] = [once('a'), once('a'), once('b')] as {
    readonly uuids: string[];
    readonly numbers: number[];
    readonly list: number[];
  }[];
  expect(again).toEqual(first);
  expect(drawn).toBe(3);
  expect(new Set([...first!.uuids, ...other!.uuids]).size).toBe(1_000);
  for (const uuid of first!.uuids)
    expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set([...first!.numbers, ...other!.numbers]).size).toBe(1_000);
  const mean = first!.numbers.reduce((sum, each) => sum + each / 500, 0);
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
  expect(first!.list).not.toEqual(other!.list);
  expect(first!.list.toSorted((one, two) => one - two)).toEqual(
    [...Array(500)].map((_, at) => at + 1),
  );
});

test('variables are available by their names', () => {
  expect(value('$count + $states.input.a', { a: 1 }, { count: 2 })).toBe(3);
  expect(value('$order.id', {}, { order: { id: 'x' } })).toBe('x');
});

test('the result is plain JSON', () => {
  const list = value('$states.input.list.n', { list: [{ n: 1 }, { n: 2 }] });
  expect(Object.getOwnPropertyNames(list)).toEqual(['0', '1', 'length']);
});

test('expressions are evaluated everywhere, and other texts are literal', () => {
  const evaluate = compileJsonata(
    { sum: '{% 1 + 1 %}', list: ['{% 2 %}', 'plain'], deep: { x: '{% $states.input %}' }, n: 1 },
    'Output',
  );
  expect(evaluate({ states: { input: 'in' }, variables: {}, world })).toEqual({
    sum: 2,
    list: [2, 'plain'],
    deep: { x: 'in' },
    n: 1,
  });
});

describe('failing', () => {
  const failure = (because: RegExp) =>
    expect.objectContaining({
      error: 'States.QueryEvaluationError',
      message: expect.stringMatching(because) as string,
    }) as Error;

  test.for<[string, RegExp]>([
    ['$states.input.missing', /returned nothing \(undefined\)/],
    ['$', /returned nothing \(undefined\)/],
    ['function($x) { $x }', /returned an unsupported result type/],
    ['$doesNotExist()', /T1006/],
    ['$eval("1 + 1")', /T1006/],
    ['"a" + 1', /T2001/],
    ['1 +', /threw an error/],
    ['$parse("nope")', /the text is not JSON/],
    ['$error("of my own")', /of my own/],
    ['$hash("a", "CRC32")', /\$hash: there is no algorithm "CRC32"/],
    ['$base64decode("?")', /the text is not Base64/],
    ['$toMillis("2026-13-01T00:00:00Z")', /D3110: .* "2026-13-01T00:00:00Z"/],
    ['$toMillis("2026-02-29T00:00:00Z")', /D3110: .* "2026-02-29T00:00:00Z"/],
    ['$toMillis("2026-04-31")', /D3110: .* "2026-04-31"/],
    ['$toMillis("2026-13", "[Y0001]-[M01]-[D01]")', /returned nothing/],
    ['$fromMillis(1e300)', /1e\+300 is not a date that can be shown/],
    ['$fromMillis(0, "[H]", "noon")', /not a date that can be shown/],
    ['$formatNumber(1, "x")', /D3086/],
    ['$sum(["a"])', /T0412: Argument 1 of function "sum" must be an array of "numbers"/],
    ['$map([1], function($x) { $x + "a" })', /T2002: The right side of the "\+" operator/],
    ['$match("a", function($s) { {"match": "a"} })', /T1010/],
  ])('%s', ([expression, because]) => {
    expect(() => value(expression)).toThrow(failure(because));
  });

  test('the message names the expression and the field', () => {
    expect(() => value('$states.input.x')).toThrow(
      failure(/^The JSONata expression '\$states\.input\.x' specified for the field 'Output'/),
    );
  });

  test.for<[string, RegExp]>([
    ['($f := function($n) { $f($n + 1) + 1 }; $f(0))', /Stack overflow error/],
    ['($f := function($n) { $f($n + 1) }; $f(0))', /does too much work/],
    ['$reduce([1..60], function($a, $i) { $a & $a }, "ten chars.")', /memory limit exceeded/],
    [
      '{$reduce([1..40], function($a, $i) { {"l": $a, "r": $a} }, 1): 1}',
      /T1003: .* got: "\{\.\.\.\}"/,
    ],
    ['$reduce([1..40], function($a, $i) { $append($a, $a) }, [1])', /memory limit exceeded/],
    ['$states.input ~> |$|{"self": $}|', /Stack overflow error/],
    ['$pad("x", 1000000000)', /memory limit exceeded/],
    ['$count([1..10000000])', /memory limit exceeded/],
    ['$range(0, 100000000, 1)', /memory limit exceeded/],
    ['$range(0, 1, 0)', /a step that is not 0/],
    ['$partition([1], 0)', /parts of 1 element or more/],
    // The library's own functions have no end for these, or take hours.
    ['$formatInteger(1 / 0, "A")', /D1001: Number out of range: "Infinity"/],
    ['$formatNumber(1, "0", {"zero-digit": ""})', /"zero-digit" takes one character/],
    ['$formatNumber(1, "0", {"grouping-separator": ""})', /"grouping-separator" takes one/],
    ['$toMillis($pad("2024", 99999, "-01") & "x")', /1000 characters and widths of 999/],
    ['$fromMillis(0, "[Y,*-500000000]")', /1000 characters and widths of 999/],
    ...inAll<[string, RegExp]>([
      '$reduce([1..40], function($a, $i) { {"l": $a, "r": $a} }, {"x": 1})',
      /too much work/,
    ]),
  ])('%s is stopped', ([expression, because]) => {
    expect(() => value(expression, { a: 1 })).toThrow(failure(because));
  });

  test.for<[string, string]>([
    ['0', '0.00e0'],
    ['-1234.5', '-1.23e3'],
    ['1/0', 'Infinity'],
    ['-1/0', '-Infinity'],
    ['5e-324', '5.00e-324'],
    ['1.5e308', '1.50e308'],
  ])('a picture with an exponent ends for %s', ([number, shown]) => {
    expect(value(`$formatNumber(${number}, "0.00e0")`)).toBe(shown);
  });

  test.for<[string, string]>([
    ['$toMillis($states.input, "[Y][M][D][d][H][m][s][f]")', `${'1'.repeat(60)}x`],
    ['$toMillis($states.input, "[Y]1[M]1[D]1[d]1[H]1[m]1[s]")', `${'1'.repeat(60)}x`],
  ])('%s can be read in too many ways', ([expression, input]) => {
    expect(() => value(expression, input)).toThrow(failure(/too many ways|returned nothing/));
  });

  const big = {
    numbers: Array.from({ length: 40_000 }, (_, index) => index),
    rows: Array.from({ length: 10_000 }, (_, id) => ({ id, price: (id * 7_919) % 1_000 })),
    text: 'ab cd '.repeat(40_000),
  };

  test.for([
    '$states.input.rows.($states.input.rows.id)',
    '$states.input.numbers[$ in $states.input.numbers]',
    '[1..5000][$contains($states.input.text, "aaaaab")]',
    '[1..1000].$reverse($states.input.numbers)',
    '$reduce([1..20000], function($a, $v) { $append($a, $v) }, [])',
    ...inAll(
      '[1..1000].($states.input ~> |rows|{"x": 1}|)',
      // Each search reads the text to its end, but finds one character.
      String.raw`$match($pad('', 30000, 'x'), /x.*y|x/)`,
    ),
  ])('%s does too much work', (expression) => {
    expect(() => value(expression, big)).toThrow(failure(/does too much work/));
  });

  test.for<[string, unknown]>([
    ['$sum($states.input.rows.price)', 4_995_000],
    ['$length($states.input.text)', 240_000],
    ['$count([1..800000])', 800_000],
    ['$count($range(1, 200000, 1))', 200_000],
    ['$count($map($states.input.numbers, function($v) { {"n": $v} }))', 40_000],
    ['$count($states.input.rows[price > 500 and id < 5000])', 2_495],
    [
      '$count($filter($states.input.rows, function($v) { $v.price > 500 and $v.id < 5000 }))',
      2_495,
    ],
    ['$reduce($states.input.rows, function($a, $v) { $a + $v.price }, 0)', 4_995_000],
    [
      '$sort($states.input.rows, function($a, $b) { $a.price < $b.price })[[0, 9999]].id',
      [321, 9_000],
    ],
    ['$states.input.rows^(>price)[[0, 9999]].id', [321, 9_000]],
    [
      '$states.input.rows{$string(price): {"count": $count(id), "first": (id)[0]}} ~> $lookup("999")',
      { count: 10, first: 321 },
    ],
    ['$length($replace($states.input.text, "ab", "xyz"))', 280_000],
    ['$count($split($states.input.text, / /))', 80_001],
    [`$count($match($pad('', 262144, 'ab'), /a/))`, 131_072],
    [
      '$length($reduce([1..10000], function($a, $v) { $a & "abcdefghijklmnopqrstuvwxyz" }, ""))',
      260_000,
    ],
    ...inAll<[string, unknown]>([
      `$length($replace($pad('', 262144, 'ab'), /(a)(b)/, '$2$1'))`,
      262_144,
    ]),
  ])('%s is within the limit', ([expression, expected]) => {
    expect(value(expression, big)).toEqual(expected);
  });

  test('an internal fault is a failure at its field that keeps its cause', () => {
    const fault = new TypeError('nothing has no fields');
    const states = {
      get context(): never {
        throw fault;
      },
    };
    const evaluate = compileExpression('{% $states.context.Execution.Id & "!" %}', 'Output/id');
    expect(() => evaluate({ states, variables: {}, world })).toThrow(
      expect.objectContaining({
        code: 'States.QueryEvaluationError',
        message:
          "The JSONata expression '$states.context.Execution.Id & \"!\"' specified for the field 'Output/id' threw an error " +
          'during evaluation. This is a fault of Dramaturg, not of the expression: TypeError: nothing has no fields',
        cause: fault,
      }) as Error,
    );
  });

  test('the limit is reached at the same point on every run', () => {
    const counts = [1, 2, 3].map(() => {
      const work = new Work();
      const evaluate = compileExpression(
        '{% $map([1..900000], function($v) { $random() }) %}',
        'Output',
      );
      expect(() => evaluate({ states: {}, variables: {}, world, work })).toThrow(
        'does too much work',
      );
      return work.unitsLeft;
    });
    expect(new Set(counts).size).toBe(1);
  });

  test('a pattern matches in linear time', () => {
    expect(() => value('$match($states.input.text, /(?=a)b/)', { text: 'b' })).toThrow(
      failure(/has a look-around or a back-reference/),
    );
    expect(
      value('$contains($states.input.text, /(a+)+$/)', { text: `${'a'.repeat(10_000)}b` }),
    ).toBe(false);
  });
});

describe('staying within the data', () => {
  test.for([
    '$states.input.constructor',
    '$states.input.constructor.constructor("return process")()',
    '$states.input.toString()',
    '$states.input.__proto__',
    '$states.input.a.__proto__.polluted',
    '$string.constructor("return 1")()',
  ])('%s is undefined', (expression) => {
    expect(() => value(expression, { a: {} })).toThrow(
      expect.objectContaining({ error: 'States.QueryEvaluationError' }),
    );
  });

  test('transforming and merging do not change a prototype', () => {
    for (const expression of [
      '$states.input ~> |__proto__|{"polluted": true}|',
      '$states.input ~> |constructor.prototype|{"polluted": true}|',
      '$merge([$states.input, $parse("{\\"__proto__\\": {\\"polluted\\": true}}")])',
    ]) {
      try {
        value(expression, { a: {} });
      } catch {
        // An error is fine too.
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });

  test('a field of the data can have a name that JavaScript reserves', () => {
    const input = JSON.parse('{"__proto__": {"x": 1}, "b": 2}') as Json;
    const kept = [
      '$merge([$states.input, {"b": 2}])',
      '$sift($states.input, function($v) { true })',
      '$merge($spread($states.input))',
    ];
    expect(kept.map((expression) => value(expression, input))).toEqual([input, input, input]);
    expect(value('$lookup($states.input, "__proto__")', input)).toEqual({ x: 1 });
    expect(value('$states.input.constructor', { constructor: 'mine' })).toBe('mine');
    expect(value('$x', {}, JSON.parse('{"__proto__": 1, "x": 2}') as Record<string, Json>)).toBe(2);
  });
});
