import { expect, test } from 'vitest';
import { readDuration, writeDuration } from '../../src/testing/test-file.ts';

test.each([
  [1, '1 ms'],
  [2000, '2 s'],
  [90_000, '1 minute 30 s'],
  [5_400_000, '1 hour 30 minutes'],
  [8 * 24 * 3_600_000, '1 week 1 day'],
])('%i ms are written as %s, and read again', (milliseconds, text) => {
  expect(writeDuration(milliseconds)).toBe(text);
  expect(readDuration(text)).toBe(milliseconds);
});
