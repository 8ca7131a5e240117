import type { JsonObject } from '@dramaturg/compiler';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaled } from '../../../.config/scaled.ts';
import { extracted } from './calls.ts';

const names = fc.oneof(
  fc.constantFrom(
    'user_name',
    'account_number',
    'water_glasses',
    '__proto__',
    'constructor',
    'toString',
    'a',
  ),
  fc.string(),
);
const leaf = fc.oneof(
  fc.constantFrom<JsonObject>(
    {},
    { type: 'string' },
    { type: 'number' },
    { type: 'integer' },
    { type: 'boolean' },
  ),
  fc.constantFrom<JsonObject>(
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'number' }, { type: 'null' }] },
  ),
  fc.record({
    enum: fc.array(
      fc.oneof(fc.constantFrom('billing', 'refund_request', 'no', 1, true, null), fc.string()),
      { maxLength: 5 },
    ),
  }),
  fc.record({
    type: fc.constant('array'),
    items: fc.record({ enum: fc.array(fc.constantFrom('billing', 'a', 'b c'), { minLength: 1 }) }),
  }),
  fc.record({
    type: fc.constant('integer'),
    minimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 0, max: 50 }),
  }),
);
const schemas = fc.dictionary(
  names,
  fc.oneof(
    leaf,
    fc.record({ type: fc.constant('object'), properties: fc.dictionary(names, leaf) }),
  ),
);
const messages = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'my name is',
          'user_name:',
          'billing',
          'not',
          'no',
          'yes',
          'skip',
          '42',
          'a hundred',
          'glasses',
          '__proto__ =',
          ',',
          '.',
          'change a to',
          'refund',
          'b c',
        ),
        fc.string(),
      ),
    )
    .map((parts) => parts.join(' ')),
);

/** A second opinion on what a schema of the kinds above allows. */
function allows(schema: JsonObject, value: unknown): boolean {
  const { type, enum: values, anyOf, items, minimum, maximum, properties } = schema;
  if (values !== undefined) return (values as unknown[]).includes(value);
  if (anyOf !== undefined) return Number.isFinite(value);
  if (Array.isArray(value))
    return (
      type === 'array' &&
      value.length > 0 &&
      value.every((item) => allows(items as JsonObject, item))
    );
  if (typeof value === 'object' && value !== null)
    return type === 'object' && allowsAll(properties as JsonObject, value);
  if (type === undefined || type === 'string' || Array.isArray(type))
    return typeof value === 'string';
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'number') return Number.isFinite(value);
  const inRange =
    (value as number) >= ((minimum as number | undefined) ?? -Infinity) &&
    (value as number) <= ((maximum as number | undefined) ?? Infinity);
  return type === 'integer' && Number.isInteger(value) && inRange;
}

function allowsAll(properties: JsonObject, value: object): boolean {
  return Object.entries(value).every(
    ([name, each]) =>
      Object.hasOwn(properties, name) && allows(properties[name] as JsonObject, each),
  );
}

test('whatever the message and the schema, nothing outside of the schema is read', () => {
  fc.assert(
    fc.property(
      schemas,
      messages,
      fc.array(names, { maxLength: 2 }),
      (properties, message, path) => {
        const value = extracted(message, properties, { asked: path }) as object;
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
        expect(allowsAll(properties, value)).toBe(true);
        expect(extracted(message, properties, { asked: path })).toEqual(value);
      },
    ),
    { numRuns: scaled(2_000) },
  );
});

test('no schema and no path makes it throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(names, fc.jsonValue()),
      messages,
      fc.array(names),
      (properties, message, path) => {
        const value = extracted(message, properties as JsonObject, {
          asked: path,
          ifDeclined: { left: 'open' },
        });
        expect(value).toBeTypeOf('object');
      },
    ),
  );
});

test('names of the object prototype are names like any other', () => {
  const properties = JSON.parse(
    '{ "__proto__": { "type": "string" }, "constructor": { "type": "number" } }',
  );
  const ifDeclined = JSON.parse('{ "__proto__": { "polluted": true } }');
  expect(JSON.stringify(extracted('Ada', properties, { asked: '__proto__' }))).toBe(
    '{"__proto__":"Ada"}',
  );
  expect(JSON.stringify(extracted('7', properties, { asked: 'constructor' }))).toBe(
    '{"constructor":7}',
  );
  expect(JSON.stringify(extracted('skip', properties, { asked: 'constructor', ifDeclined }))).toBe(
    '{"__proto__":{"polluted":true}}',
  );
  expect(extracted('toString: 1', {}, { asked: 'toString' })).toEqual({});
  expect('polluted' in {}).toBe(false);
});

test('a schema that is nested without end is left alone where it gets deep', () => {
  let schema: JsonObject = { type: 'string' };
  for (let depth = 0; depth < 10_000; depth += 1)
    schema = { type: 'object', properties: { a: schema }, anyOf: [schema] };
  expect(extracted('Ada', { a: schema }, { asked: 'a' })).toEqual({});
});

describe('a long message takes no long time', () => {
  const properties = {
    user_name: { type: 'string' },
    user_age: { type: 'number' },
    agreed: { type: 'boolean' },
    category: { enum: ['billing', 'a a a a', 'a_a'] },
  };
  test.for([
    'a',
    ' ',
    '.',
    '1',
    '1,',
    'no ',
    'my name is ',
    'name: a, ',
    'change a to ',
    'and ',
    'why? ',
    "a'",
    'hi, ',
  ])('%o', (unit) => {
    const message = unit.repeat(100_000 / unit.length);
    // What is quadratic in the length would not come to its end.
    for (const asked of Object.keys(properties))
      expect(extracted(message, properties, { asked, ifDeclined: {} })).toBeTypeOf('object');
  });
});

test('a long answer in free text is kept up to 10,000 characters', () => {
  const message = `It broke. ${'x'.repeat(100_000)}`;
  expect(extracted(message, { story: { type: 'string' } }, { asked: 'story' })).toEqual({
    story: message.slice(0, 10_000),
  });
});
