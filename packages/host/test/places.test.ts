import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthBelow } from '../src/instance/journal-lines.ts';

describe('the approximate length of a value', () => {
  test('is that of its JSON text, roughly', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const length = lengthBelow(Infinity, value)!;
        const { length: exact } = JSON.stringify(value);
        expect(length).toBeLessThanOrEqual(6 * exact);
        expect(exact).toBeLessThanOrEqual(6 * length);
      }),
    );
  });

  test('is known below the limit only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 200 }), (value, limit) => {
        const length = lengthBelow(Infinity, value)!;
        expect(lengthBelow(limit, value)).toBe(length < limit ? length : undefined);
      }),
    );
  });

  test('ends at the limit, also of a value that is too deep or too long to be read', () => {
    const endless = {
      get next(): unknown {
        return endless;
      },
    };
    expect(lengthBelow(512, endless)).toBeUndefined();
  });
});
