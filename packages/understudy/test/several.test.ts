import { expect, test } from 'vitest';
import { extracted } from './calls.ts';

const name = { type: 'string', description: "Customer's name" };
const account = { type: 'string', description: 'Account or order number' };
const age = { type: 'number', description: "The user's age" };
const category = { enum: ['billing', 'technical'], description: 'Category of the issue' };
const fields = {
  customer_name: name,
  account_number: account,
  user_age: age,
  issue_category: category,
};

test('labelled values fill the fields that their labels name', () => {
  expect(extracted('name: Ada, account: 42', fields)).toEqual({
    customer_name: 'Ada',
    account_number: '42',
  });
  expect(extracted('name = Ada; age = 36\nissue category: technical', fields)).toEqual({
    customer_name: 'Ada',
    user_age: 36,
    issue_category: 'technical',
  });
});

test('a sentence fills the fields that it names in full', () => {
  expect(
    extracted('Hi, my name is Ada, my account number is 0042 and my age is thirty-six.', fields),
  ).toEqual({
    customer_name: 'Ada',
    account_number: '0042',
    user_age: 36,
  });
  expect(extracted('my account is locked', fields)).toEqual({});
});

test('a label that fits two fields equally fills neither', () => {
  expect(extracted('name: Ada', { user_name: name, customer_name: name })).toEqual({});
});

test('what stands before the first label answers the question', () => {
  expect(extracted('Ada, and my account number is 42', fields, { asked: 'customer_name' })).toEqual(
    {
      customer_name: 'Ada',
      account_number: '42',
    },
  );
  expect(extracted('my account number is 42', fields, { asked: 'customer_name' })).toEqual({
    account_number: '42',
  });
  expect(
    extracted(
      'yes, and my age is 36',
      { ...fields, agreed: { type: 'boolean' } },
      { asked: 'agreed' },
    ),
  ).toEqual({ agreed: true, user_age: 36 });
});

test('a number fills a field that was not asked for only beside a word of it', () => {
  const numbers = {
    water_glasses: { type: 'number', description: 'Glasses of water consumed' },
    step_count: { type: 'number', description: 'Number of steps taken today' },
  };
  expect(extracted('7 glasses of water', numbers)).toEqual({ water_glasses: 7 });
  expect(extracted('I walked ten thousand steps', numbers)).toEqual({ step_count: 10_000 });
  expect(extracted('it was number 7', numbers)).toEqual({});
});

test('a collected value is replaced by a correction that names it, and by nothing else', () => {
  const collected = {
    customer_name: { ...name, 'x-collected': true },
    issue_category: { ...category, 'x-collected': true },
    agreed: { type: 'boolean' },
  };
  expect(extracted('actually my name is Bob', collected)).toEqual({ customer_name: 'Bob' });
  expect(extracted('change my name to Bob, please', collected)).toEqual({ customer_name: 'Bob' });
  expect(extracted('the category should be technical', collected)).toEqual({
    issue_category: 'technical',
  });
  expect(extracted('my name is Bob', collected)).toEqual({});
  expect(extracted('a billing matter', collected)).toEqual({});
  expect(extracted('actually Bob', collected)).toEqual({});
});

test('the "no" of a correction does not answer a yes-or-no question', () => {
  const collected = {
    customer_name: { ...name, 'x-collected': true },
    agreed: { type: 'boolean' },
  };
  expect(extracted('No, my name is Bob', collected, { asked: 'agreed' })).toEqual({
    customer_name: 'Bob',
  });
});

test('what is declined and what is said besides are both recorded', () => {
  const question = {
    asked: ['values', 'account_number'],
    ifDeclined: { values: { account_number: null } },
  };
  const values = { type: 'object', properties: fields };
  expect(extracted('skip, but my name is Ada', { values }, question)).toEqual({
    values: { customer_name: 'Ada', account_number: null },
  });
});

test('an option of another field is not also a name, and "Ada here" is one', () => {
  const question = { asked: 'customer_name' };
  expect(extracted('billing. I was charged twice', fields, question)).toEqual({
    issue_category: 'billing',
  });
  const known = { ...fields, customer_name: { ...name, 'x-collected': 2 } };
  expect(extracted('no, billing', known, { asked: 'account_number' })).toEqual({
    issue_category: 'billing',
  });
  expect(extracted('Ada Lovelace here', fields)).toEqual({ customer_name: 'Ada Lovelace' });
});
