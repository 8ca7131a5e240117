import { describe, expect, test } from 'vitest';
import { answered, extracted } from './calls.ts';

const number = { type: 'number' };

describe('a number is read from digits and from words', () => {
  test.for([
    ['5', 5],
    ['5.', 5],
    ['-5', -5],
    ['minus five', -5],
    ['-0', 0],
    ['+7', 7],
    ['1,234', 1_234],
    ['1,234,567.89', 1_234_567.89],
    ["1'000", 1_000],
    ['1.000,50', 1_000.5],
    ['3.5', 3.5],
    ['3,5', 3.5],
    ['.5', 0.5],
    ['10k', 10_000],
    ['2.5k', 2_500],
    ['10kg', 10],
    ['$50', 50],
    ['50%', 50],
    ['fifty percent', 50],
    ['zero', 0],
    ['none', 0],
    ['seven', 7],
    ['nineteen', 19],
    ['twenty-five', 25],
    ['Twenty five.', 25],
    ['a hundred', 100],
    ['a hundred and five', 105],
    ['one hundred twenty three', 123],
    ['twelve hundred', 1_200],
    ['two thousand and twenty-six', 2_026],
    ['two hundred thousand', 200_000],
    ['three million two hundred thousand and one', 3_200_001],
    ['1.5 million', 1_500_000],
    ['two and a half', 2.5],
    ['two and a half thousand', 2_500],
    ['2½', 2.5],
    ['2 1/2', 2.5],
    ['half', 0.5],
    ['three quarters', 0.75],
    ['two point five', 2.5],
    ['a dozen', 12],
    ['half a dozen', 6],
    ['a couple of them', 2],
    ['twice a week', 2],
    ['I am 34 years old', 34],
    ['about twenty, I think', 20],
    ['einundzwanzig', 21],
    ['zweitausendfünfhundert', 2_500],
    ['wir sind zu dritt', 3],
    ['quatre-vingt-dix-sept', 97],
    ['deux cents', 200],
    ['ciento sesenta y dos', 162],
    ['centottantuno', 181],
    ['duzentos e cinquenta e um', 251],
    ['dois mil e cinco', 2_005],
  ] as const)('%s', ([text, value]) => {
    expect(answered(text, number)).toBe(value);
  });
});

describe('of several numbers the first one is taken', () => {
  test.for([
    ['8 out of 10', 8],
    ['8/10', 8],
    ['two and three', 2],
    ['version 2 of five', 2],
  ] as const)('%s', ([text, value]) => {
    expect(answered(text, number)).toBe(value);
  });
});

describe('a range is no number', () => {
  test.for(['2-3', '2 – 3', 'between 2 and 3', 'one or two', '5 to 6', 'from 10 to 20'])(
    '%s',
    (text) => {
      expect(answered(text, number)).toBeUndefined();
    },
  );
});

describe('no number is read where none is meant', () => {
  test.for([
    'B12',
    'the 2nd',
    '1e5',
    'no one knows',
    'one of them',
    'the third one',
    'a few hundred',
    'an hour and a half',
    '9'.repeat(400),
    'some',
    'is it 5?',
    '',
  ])('%s', (text) => {
    expect(answered(text, number)).toBeUndefined();
  });
});

test('a number outside of its schema is no answer', () => {
  expect(answered('2.5', { type: 'integer' })).toBeUndefined();
  expect(answered('11', { type: 'number', minimum: 1, maximum: 10 })).toBeUndefined();
  expect(answered('10', { type: 'number', minimum: 1, maximum: 10 })).toBe(10);
});

test('a number beside the words of the asked field is preferred to the first one', () => {
  const fields = { water_glasses: number, sleep_hours: number };
  expect(
    extracted('I slept 7 hours and had 5 glasses', fields, { asked: 'water_glasses' }),
  ).toEqual({
    water_glasses: 5,
    sleep_hours: 7,
  });
});

test.each([
  ['45 minutes', 45],
  ['2 hours', 120],
  ['an hour and a half', 90],
  ['1h 20min', 80],
  ['half an hour', 30],
  ['2 hours 30 minutes', 150],
  ['1 day 2 hours and 30 minutes', 1_590],
  ['1 h 1 h', 60],
  ['30 min 1 h', 30],
])('%s in another unit of the clock than asked is converted', (said, value) => {
  const minutes = { type: 'number', description: 'Duration of exercise in minutes' };
  expect(answered(said, minutes)).toBe(value);
});

test.each([
  ['days', '210 days, no, 120 days', 120],
  ['days', '2 weeks 3 days', 17],
  ['feet', '5 ft 11', 5],
  ['metres', '5 ft 10 cm', 1.624],
  ['kilograms', '1 st 1 lb', 6.80388],
])('the amounts of one duration, weight or length are added: in %s, %s', (unit, said, value) => {
  expect(answered(said, { type: 'number', description: `Amount in ${unit}` })).toBe(value);
});
