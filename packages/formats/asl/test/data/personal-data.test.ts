import fc from 'fast-check';
import { expect, test } from 'vitest';
import { personalData } from '../../src/data/linear-pattern.ts';
import { SearchBudget } from '../../src/data/pattern.ts';

/** The definition of an address, slow for hostile texts. */
const address = /[\w.%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/g;

test('addresses are found as their pattern says, in any text', () => {
  const parts = fc.constantFrom('@', '.', 'a', '-', ' ', 'ab.c', '@b.c', 'x'.repeat(64), '\n', 'é');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (texts) => {
      const text = texts.join('');
      const expected = Array.from(text.matchAll(address), ({ 0: found, index }) => ({
        start: index,
        end: index + found.length,
        kind: 'email',
      }));
      expect(personalData(text, ['email'])).toEqual(expected);
    }),
  );
});

test('a text that is too long to search is unchecked from there on', () => {
  const text = 'call ada@example.org '.repeat(100_000);
  const matches = personalData(text, ['iban', 'email']);
  expect(matches[0]).toEqual({ start: 5, end: 20, kind: 'email' });
  expect(matches.at(-1)).toMatchObject({ end: text.length, kind: 'unchecked' });
  // Nothing that ends behind the limit is left in front of it.
  expect(matches.at(-1)!.start).toBeLessThan(1_000_000);
});

test('all texts of a value share the steps', () => {
  const budget = new SearchBudget();
  const text = 'a'.repeat(600_000);
  expect(personalData(text, ['email'], budget)).toEqual([]);
  expect(personalData(text, ['email'], budget)).toMatchObject([{ kind: 'unchecked' }]);
  expect(personalData(text, ['email'], budget)).toEqual([
    { start: 0, end: text.length, kind: 'unchecked' },
  ]);
});
