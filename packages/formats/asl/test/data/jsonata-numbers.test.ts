import { expect, test } from 'vitest';
import type { Json } from '@dramaturg/compiler';
import { compileExpression } from '../../src/data/jsonata/expression.ts';
import { query, world } from './evaluate.ts';

function evaluate(expression: string, n: Json): Json {
  return compileExpression(
    `{% ${expression} %}`,
    'Output',
  )({ states: { input: { n } }, variables: {}, world });
}

/** Doubles of all magnitudes, with all digits: of random bits, integers around the limits, and fractions. */
function doubles(count: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(8));
  let state = 12_345n;
  const bits = () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffffffffffffffffn;
    view.setBigUint64(0, state ^ (state >> 29n));
    return view.getFloat64(0);
  };
  const random = Array.from({ length: count }, bits).filter(Number.isFinite);
  const integers = Array.from({ length: count / 2 }, (_, at) =>
    Math.trunc(2 ** (at % 70) * (1 + (Math.abs(bits()) % 1))),
  );
  const edges = [
    0,
    1,
    2 ** 53 - 1,
    2 ** 53 + 2,
    5_890_840_712_243_077,
    1e20,
    1e21,
    1e21 - 131_072,
    2 ** 63,
    1e-6,
    1e-7,
    0.1 + 0.2,
    5e-324,
    Number.MAX_VALUE,
  ];
  return [
    ...random,
    ...integers.filter(Number.isFinite),
    ...edges,
    ...edges.map((edge) => -edge),
  ].map((each) => each + 0);
}

/** The shortest digits that read back as the same number. */
function digitsOf(number: number): string {
  return Math.abs(number).toExponential().split('e')[0]!.replace('.', '').replace(/0+$/, '');
}

test('a number keeps the shortest digits that read back as the same number', () => {
  for (const n of doubles(400)) {
    const text = evaluate('$string($states.input.n)', n) as string;
    expect(Number(text)).toBe(n);
    // Without an exponent below 1e21, where the digits are filled up with zeros.
    const isPlain = n === 0 || (Math.abs(n) < 1e21 && Math.abs(n) >= 1e-6);
    expect(/e/.test(text)).toBe(!isPlain);
    const digits = text
      .replace(/e.*/, '')
      .replaceAll(/[-.]/g, '')
      .replace(/^0+/, '')
      .replace(/0+$/, '');
    expect(digits).toBe(n === 0 ? '' : digitsOf(n));
    const others = evaluate(
      '["" & $states.input.n, $string([$states.input.n]), $string({"a": $states.input.n})]',
      n,
    );
    expect(others).toEqual([text, `[${text}]`, `{"a":${text}}`]);
    const data = { n };
    expect(query("States.Format('{}', $.n)", data)).toBe(text);
    expect(query('States.JsonToString($)', data)).toBe(`{"n":${text}}`);
  }
});

test('$formatNumber shows all digits that the picture has places for', () => {
  for (const n of doubles(200)) {
    const text = evaluate('$formatNumber($states.input.n, "0.################e0")', n) as string;
    expect(Number(text)).toBe(n);
  }
  for (const n of doubles(200).filter((each) => Number.isInteger(each) && each !== 0)) {
    const whole = evaluate('$formatNumber($states.input.n, "#,##0")', n) as string;
    expect(Number(whole.replaceAll(',', ''))).toBe(n);
    expect(whole.replaceAll(/[-,]/g, '').replace(/0+$/, '')).toBe(digitsOf(n));
  }
});

test.for<[string, string]>([
  ['"user-" & 5890840712243077', 'user-5890840712243077'],
  ['$string(1e20)', '100000000000000000000'],
  ['$string(999999999999999868928)', '999999999999999900000'],
  ['$string(9223372036854775808)', '9223372036854776000'],
  ['$string(1e21)', '1e+21'],
  ['$string(0.1 + 0.2)', '0.30000000000000004'],
  ['$formatNumber(5890840712243077, "#,##0.00")', '5,890,840,712,243,077.00'],
  ['$formatNumber(1e21, "#,##0")', '1,000,000,000,000,000,000,000'],
  ['$formatNumber(0.125, "0.00")', '0.12'],
  ['$formatNumber(1.005, "0.00")', '1.00'],
  ['$formatNumber(0.29, "0%")', '29%'],
])('%s is %s', ([expression, text]) => {
  expect(evaluate(expression, 0)).toBe(text);
});

test('a template fills in all digits', () => {
  expect(query("States.Format('user-{}', $.n)", { n: 5_890_840_712_243_077 })).toBe(
    'user-5890840712243077',
  );
});
