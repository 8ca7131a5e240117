import { describe, expect, test } from 'vitest';
import { choose } from '../src/choose.ts';
import { midway } from './calls.ts';

const options = [
  { id: 'refund', description: 'The customer wants money back for a purchase' },
  { id: 'repair', description: 'The customer wants a broken device fixed' },
  { id: 'goodbye', description: 'The customer has no further wishes' },
];

describe('the option with the best evidence is picked, and the reason says which', () => {
  test.for([
    ['repair', 'repair', 'The message is the name of the option.'],
    ['2', 'repair', 'The message gives its place in the list.'],
    ['the third one', 'goodbye', 'The message gives its place in the list.'],
    ['b', 'repair', 'The message gives its place in the list.'],
    ['I want a refund!', 'refund', 'The message names the option.'],
    ['my device is broken', 'repair', 'The message says "broken", "device".'],
    ['I do not want it fixed, I want my money', 'refund', 'The message says "money".'],
    ['not a refund, a repair', 'repair', 'The message names the option.'],
  ] as const)('%s', ([message, option, reason]) => {
    expect(choose({ ...midway, message, options })).toEqual({
      option,
      reason,
    });
  });
});

test('yes and no pick the option that agrees or refuses', () => {
  const verdicts = [
    { id: 'accepted', description: 'fine' },
    { id: 'rejected', description: 'not fine' },
  ];
  const picks = ['sure', 'not really'].map((message) =>
    choose({ ...midway, message, options: verdicts }),
  );
  expect(picks).toEqual([
    { option: 'accepted', reason: 'The message agrees or refuses.' },
    { option: 'rejected', reason: 'The message agrees or refuses.' },
  ]);
});

test('without evidence the fallback stands, or else the first option', () => {
  const fallback = {
    option: 'goodbye',
    reason: 'Nothing in the message decides, so the fallback stands.',
  };
  const first = {
    option: 'refund',
    reason: 'Nothing in the message decides, so it is the first option.',
  };
  expect(choose({ ...midway, message: 'hm', options, fallback: 'goodbye' })).toEqual(fallback);
  expect(choose({ ...midway, message: 'refund or repair', options, fallback: 'goodbye' })).toEqual(
    fallback,
  );
  expect(choose({ ...midway, options })).toEqual(first);
  expect(choose({ ...midway, message: 'hm', options, fallback: 'unknown' })).toEqual(first);
});

test('a choice that requires judgement is refused, whatever the message says', () => {
  const judged = { ...midway, message: 'repair', options, requiresJudgement: true } as const;
  expect(() => choose(judged)).toThrow('cannot judge a text');
});
