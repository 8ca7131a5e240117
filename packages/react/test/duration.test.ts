import { durationText } from '@dramaturg/react';
import { expect, test } from 'vitest';

test.each([
  [350, '350 ms'],
  [1_200, '1.2 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3 * 3_600_000, '3 h'],
  [3 * 3_600_000 + 5_000, '3 h'],
  [26 * 3_600_000, '1 d 2 h'],
])('%i ms is %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
