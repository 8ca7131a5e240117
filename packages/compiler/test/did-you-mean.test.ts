import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../src/index.ts';

test('the nearest name is suggested', () => {
  expect(didYouMean('farewel', ['welcome', 'farewell', 'fair'])).toBe('Did you mean "farewell"?');
});

test('swapped neighbours and another case are small mistakes', () => {
  expect(nearestName('condtiion_value', ['condition_exists', 'condition_value'])).toBe(
    'condition_value',
  );
  expect(nearestName('STRICT', ['loose', 'strict'])).toBe('strict');
});

test('what is not near is not suggested', () => {
  expect(nearestName('colour', ['size', 'weight'])).toBeUndefined();
  expect(nearestName('ab', ['xy'])).toBeUndefined();
});

test('a text of any length costs little', () => {
  expect(nearestName('x'.repeat(1_000_000), ['y'])).toBeUndefined();
});
