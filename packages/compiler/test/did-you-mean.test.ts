import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../src/entries/text.ts';

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

test.each([
  ['value_equals', ['value_exists', 'value_given']],
  ['reflexes', ['annotation', 'decision']],
  ['kind', ['type']],
  ['gold', ['cold_water', 'bald']],
])('%s is not a slip of any of %j', (name, known) => {
  expect(nearestName(name, known)).toBeUndefined();
});

test.each([
  ['farewel', 'farewell'],
  ['strickt', 'strict'],
  ['recieve', 'receive'],
  ['passfail2', 'pass_fail'],
  ['targetStateId', 'target_state_id'],
  ['reflexion', 'reflection'],
  ['ned', 'end'],
  ['NumericGreater', 'NumericGreaterThan'],
])('%s is a slip of %s', (name, meant) => {
  expect(nearestName(name, ['nothing', 'other_name', meant])).toBe(meant);
});

test('another word for a name is known where it is given', () => {
  const synonyms = { value_equals: 'value_given' };
  expect(nearestName('value-equals', ['value_exists'], synonyms)).toBe('value_given');
});
