import { atOnce } from '@dramaturg/compiler/machine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joined, partsOf } from '../../src/service/json-parts.ts';

test('an object in parts is the same when it is joined, with its keys in order', () => {
  const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 }), { maxKeys: 12 });
  const own = values.filter((value) => !JSON.stringify(value).includes('__proto__'));
  fc.assert(
    fc.property(own, fc.integer({ min: 1, max: 30 }), (value, max) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(atOnce(joined(partsOf(value, max))))).toBe(text);
    }),
  );
});

test('no part has many values', () => {
  const value = { lists: Array.from({ length: 500 }, () => [[1, 2, 3], { four: { five: 5 } }]) };
  const parts = partsOf(value, 20);
  expect(parts.length).toBeGreaterThan(100);
  for (const part of parts) expect(part.length).toBeLessThan(500);
});
