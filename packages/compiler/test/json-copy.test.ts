import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { portSchemas } from '../src/index.ts';

const { output } = portSchemas.callTool;

/** Why a result is refused, or 'taken'. */
function verdict(result: unknown): string {
  const taken = output.safeParse({ result });
  return taken.success ? 'taken' : z.prettifyError(taken.error);
}

const circle: Record<string, unknown> = { list: [] };
circle['itself'] = circle;

function deep(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

describe('data passed through a port', () => {
  test('is copied, so that neither side can change the data of the other', () => {
    const result = { list: [1, 'two', null, true, { three: -0.5e-7 }], empty: {} };
    const taken = output.parse({ result }).result as typeof result;
    expect(taken).toEqual(result);
    result.list.push(2);
    expect(taken.list).toHaveLength(5);
  });

  test.each([
    ['undefined', undefined, '✖ Invalid input: undefined is not JSON\n  → at result'],
    [
      'a missing value',
      { a: [{ b: undefined }] },
      '✖ Invalid input: undefined is not JSON\n  → at result.a[0].b',
    ],
    [
      'a gap in a list',
      Array.of(1).concat(Array(1)),
      '✖ Invalid input: undefined is not JSON\n  → at result[1]',
    ],
    ['NaN', [NaN], '✖ Invalid input: NaN is not JSON\n  → at result[0]'],
    ['infinity', { x: -Infinity }, '✖ Invalid input: -Infinity is not JSON\n  → at result.x'],
    ['a big integer', 1n, '✖ Invalid input: bigint is not JSON\n  → at result'],
    [
      'a function',
      { toJSON: () => 1 },
      '✖ Invalid input: function is not JSON\n  → at result.toJSON',
    ],
    ['a date', new Date(0), '✖ Invalid input: an instance of Date is not JSON\n  → at result'],
    ['a map', { m: new Map() }, '✖ Invalid input: an instance of Map is not JSON\n  → at result.m'],
    [
      'a String object',
      new String('x'),
      '✖ Invalid input: an instance of String is not JSON\n  → at result',
    ],
    [
      'a symbol as a key',
      { [Symbol('s')]: 1 },
      '✖ Invalid input: a key that is a symbol is not JSON\n  → at result',
    ],
  ])('is refused when it holds %s', (_, value, message) => {
    expect(verdict(value)).toBe(message);
  });

  test('is refused when it is missing', () => {
    expect(output.safeParse({}).success).toBe(false);
  });

  test('is accepted or refused exactly as by the JSON schema of Zod', () => {
    const value = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(value, (result) => {
        const zods = z.json().safeParse(result);
        const ours = output.safeParse({ result });
        expect([ours.success, ours.data?.result]).toEqual([zods.success, zods.data]);
      }),
    );
  });

  test.each([
    ['a cycle', circle],
    ['more than a thousand levels', deep(1_001)],
    ['a hundred thousand levels', deep(100_000)],
  ])('is refused when it holds %s', (_, value) => {
    expect(verdict(value)).toMatch(/nested more than 1000 levels deep, or cyclic/);
  });

  test('may be a thousand levels deep, and without a prototype', () => {
    expect(verdict(deep(1_000))).toBe('taken');
    expect(verdict(Object.assign(Object.create(null), { a: 1 }))).toBe('taken');
  });

  test('never changes a prototype: `__proto__` is dropped, `constructor` is kept', () => {
    const result = JSON.parse('{ "__proto__": { "x": 1 }, "constructor": { "prototype": {} } }');
    const taken = output.parse({ result }).result as object;
    expect(Object.getPrototypeOf(taken)).toBe(Object.prototype);
    expect(Object.keys(taken)).toEqual(['constructor']);
  });

  test('must be an object where the port requires one', () => {
    const { input } = portSchemas.callTool;
    const given = (value: unknown) => input.safeParse({ key: 'k', tool: 't', arguments: value });
    expect(given({ a: [1] }).data).toEqual({ key: 'k', tool: 't', arguments: { a: [1] } });
    expect(z.prettifyError(given([1]).error!)).toBe(
      '✖ Invalid input: expected an object\n  → at arguments',
    );
    expect(given(undefined).success).toBe(false);
    expect(given({ a: { b: undefined } }).success).toBe(false);
  });

  test('may be omitted where it is optional', () => {
    const { input } = portSchemas.requestDecision;
    const call = { key: 'k', prompt: 'p', options: [{ id: 'a', description: 'A' }] };
    expect(input.parse(call)).toEqual(call);
    expect(input.safeParse({ ...call, data: undefined }).success).toBe(true);
    expect(input.safeParse({ ...call, data: NaN }).success).toBe(false);
  });
});
