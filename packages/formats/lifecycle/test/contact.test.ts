import { expect, test } from 'vitest';
import { contactKey, nextInLine } from '../src/index.ts';

test('a telephone number is compared by its digits', () => {
  const written = ['+56 9 1234 5678', '0056 9 1234-5678', '56912345678', ' (56) 9.1234.5678 '];
  expect(new Set(written.map(contactKey))).toEqual(new Set(['+56912345678']));
});

test('what is no telephone number is compared as it is written, but for capitals', () => {
  expect(contactKey(' Ada@Example.org ')).toBe('ada@example.org');
  expect(contactKey('+56 9 CALL ME')).toBe('+56 9 call me');
  expect(contactKey('')).toBe('');
});

test('the first that waits is called once nobody holds the contact', () => {
  const gone = { state: 'COMPLETED', holds_contact: false };
  const paused = { state: 'PAUSED', holds_contact: false };
  const waits = { state: 'QUEUED', holds_contact: false };
  const holds = { state: 'ACTIVE', holds_contact: true };
  expect(nextInLine([])).toBeUndefined();
  expect(nextInLine([gone, paused])).toBeUndefined();
  expect(nextInLine([gone, paused, waits, waits])).toBe(2);
  expect(nextInLine([waits, holds])).toBeUndefined();
  expect(nextInLine([{ state: 'IN_LINE', holds_contact: false }], 'IN_LINE')).toBe(0);
});
