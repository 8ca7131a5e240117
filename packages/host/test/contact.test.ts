import { expect, test } from 'vitest';
import { contactKey } from '../src/contact.ts';

test('a telephone number is compared by its digits', () => {
  const written = ['+56 9 1234 5678', '0056 9 1234-5678', '56912345678', ' (56) 9.1234.5678 '];
  expect(new Set(written.map(contactKey))).toEqual(new Set(['+56912345678']));
});

test('an address that is not a telephone number is compared without case', () => {
  expect(contactKey(' Ada@Example.org ')).toBe('ada@example.org');
  expect(contactKey('+56 9 CALL ME')).toBe('+56 9 call me');
  expect(contactKey('')).toBe('');
});
