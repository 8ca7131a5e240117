import { describe, expect, test } from 'vitest';
import { answered, extracted } from './calls.ts';

const category = {
  enum: ['billing', 'technical', 'account'],
  description: 'Category of the issue',
};
const billing = {
  enum: ['incorrect_charge', 'refund_request', 'payment_issue', 'billing_question'],
};
const exercise = { enum: ['Running', 'Swimming', 'Gym/Weights', 'Yoga', 'Team Sports', 'Other'] };

describe('the answer names an option', () => {
  test.for([
    ['billing', category, 'billing'],
    ['BILLING!', category, 'billing'],
    ['a billing issue, I think', category, 'billing'],
    ['accounts', category, 'account'],
    ['not billing, technical', category, 'technical'],
    ['technical rather than billing', category, 'technical'],
    ['my bill is too high', category, 'billing'],
    ['the second one', category, 'technical'],
    ['3', category, 'account'],
    ['refund request', billing, 'refund_request'],
    ['refund-request', billing, 'refund_request'],
    ['I want a refund', billing, 'refund_request'],
    ['a question about my refund', billing, 'refund_request'],
    ['you charged me twice', billing, 'incorrect_charge'],
    ['gym', exercise, 'Gym/Weights'],
    ['sports', exercise, 'Team Sports'],
    ['other', exercise, 'Other'],
    ['two', { enum: [1, 2, 3] }, 2],
    ['yeah', { enum: ['yes', 'no', 'maybe'] }, 'yes'],
  ] as const)('%s', ([message, schema, option]) => {
    expect(answered(message, schema)).toBe(option);
  });
});

describe('the answer names no single option', () => {
  test.for([
    'billing or technical',
    'not billing',
    "it's not a billing problem",
    "I don't know whether billing",
    'what is billing?',
    'the fourth one',
    'cardio',
    '',
  ])('%s', (message) => {
    expect(answered(message, category)).toBeUndefined();
  });
});

test('an option inside the name of another one is not named', () => {
  expect(answered('a billing question', { enum: ['billing', 'billing_question'] })).toBe(
    'billing_question',
  );
});

test('an option that means none is picked before it declines', () => {
  const question = { asked: 'diet', ifDeclined: { skipped: ['diet'] } };
  expect(extracted('none', { diet: { enum: ['vegan', 'none'] } }, question)).toEqual({
    diet: 'none',
  });
  expect(extracted('skip', { diet: { enum: ['vegan', 'none'] } }, question)).toEqual({
    skipped: ['diet'],
  });
});

test('an option named in passing is picked up, nested or not', () => {
  const values = { type: 'object', properties: { name: { type: 'string' }, category } };
  expect(extracted('Hello, I have a billing problem', { values })).toEqual({
    values: { category: 'billing' },
  });
  expect(extracted('Hello, not a billing problem', { values })).toEqual({});
  expect(extracted('Hello, billing and technical problems', { values })).toEqual({});
});

test('an option is picked up in passing by a word that is its own', () => {
  expect(extracted('I would like a refund', { billing })).toEqual({ billing: 'refund_request' });
  expect(extracted('My friend Bill has a question', { billing, category })).toEqual({});
});

test('small talk names an option only where its field is spoken of', () => {
  const meals = { enum: ['great', 'good', 'poor'], description: 'Quality of the meals' };
  expect(extracted('sounds good', { meals })).toEqual({});
  expect(extracted('my meals were good', { meals })).toEqual({ meals: 'good' });
});

test('a list that was asked for takes every option that is named', () => {
  const tags = { type: 'array', items: { enum: ['late_delivery', 'damaged', 'wrong_item'] } };
  expect(extracted('It was damaged and a late delivery', { tags }, { asked: 'tags' })).toEqual({
    tags: ['late_delivery', 'damaged'],
  });
});

test('to name a thing is not to put it on a list that was not asked for', () => {
  const done = { type: 'array', items: { enum: ['refund', 'account_number'] } };
  const account_number = { type: 'string', description: 'Account number' };
  expect(extracted('I want a refund', { done })).toEqual({});
  expect(
    extracted('my account number is 4711', { account_number, done }, { asked: 'account_number' }),
  ).toEqual({ account_number: '4711' });
});

test('yes or no is not guessed from what is said in passing', () => {
  expect(extracted('yes', { resolved: { type: 'boolean' } })).toEqual({});
});

test('what does not work is described, and not rejected', () => {
  const kinds = { type: 'string', enum: ['billing', 'technical', 'general'] };
  expect(answered('The device does not start', kinds, 'issue_type')).toBe('technical');
  expect(answered('not technical, billing', kinds, 'issue_type')).toBe('billing');
});
