import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { extract as read } from '../src/extract.ts';
import { understudyPorts } from '../src/index.ts';
import { call, callAfter, extracted, midway } from './calls.ts';

/** Values whose question comes later, and those that are put to the person for confirmation. */

const text = (description: string): JsonObject => ({ type: 'string', description });
const later = (schema: JsonObject): JsonObject => ({ ...schema, 'x-later': true });

const name = text('What is your name?');
const account = text('What is your account number?');
const issue = { type: 'string', enum: ['billing', 'technical'], description: 'The issue' };

test.for<[says: string, asked: string, fields: JsonObject, records: JsonObject]>([
  [
    'My name is Tom and my account number is 4711',
    'customer_name',
    { customer_name: name, account_number: later(account) },
    { customer_name: 'Tom', account_number: '4711' },
  ],
  [
    'It is a billing matter',
    'customer_name',
    { customer_name: name, issue_type: later(issue) },
    { issue_type: 'billing' },
  ],
  [
    'my account number is 4711 and my order number is 77',
    'account_number',
    { account_number: account, order_number: later(text('Which order?')) },
    { account_number: '4711', order_number: '77' },
  ],
  // A bare answer belongs to the question, whatever comes later.
  [
    '4711',
    'account_number',
    { account_number: account, order_number: later(text('Which order?')) },
    { account_number: '4711' },
  ],
  [
    'My name is Tom',
    'customer_name',
    { customer_name: name, contact_name: later(text('Who is the contact?')) },
    { customer_name: 'Tom' },
  ],
  [
    'billing',
    'issue_type',
    { issue_type: issue, second_issue: later({ ...issue, description: 'Another issue?' }) },
    { issue_type: 'billing' },
  ],
  [
    '70',
    'weight',
    {
      weight: { type: 'number', description: 'Your weight' },
      target_weight: later({ type: 'number', description: 'The weight you want' }),
    },
    { weight: 70 },
  ],
  // One of two later ones is not guessed.
  [
    'write to ada@example.com',
    'customer_name',
    {
      customer_name: name,
      work_email: later(text('Work address')),
      home_email: later(text('Home address')),
    },
    {},
  ],
  [
    'Invoice 99 is wrong',
    'customer_name',
    {
      customer_name: name,
      invoice_number: later(text('Which invoice?')),
      amount: later({ type: 'number', description: 'Which amount is wrong?' }),
    },
    { invoice_number: '99' },
  ],
  // A known value is changed by a correction only.
  [
    'my account number is 99',
    'customer_name',
    { customer_name: name, account_number: { ...later(account), 'x-collected': 1 } },
    {},
  ],
  [
    'no, my account number is 99',
    'customer_name',
    { customer_name: name, account_number: { ...later(account), 'x-collected': 1 } },
    { account_number: '99' },
  ],
])('"%s", asked for %s', ([says, asked, fields, records]) => {
  expect(extracted(says, fields, { asked })).toEqual(records);
});

test('of several known values, a correction without a name is about the one that was said last', () => {
  const fields = {
    issue,
    zip: { type: 'number', 'x-collected': 2 },
    age: { type: 'number', 'x-collected': 1 },
  };
  expect(extracted('no, 42', fields, { asked: 'issue' })).toEqual({ zip: 42 });
});

const ask = { name: 'account_number', question: 'What is your account number?', required: true };

test('a value to confirm is put to the person, and yes confirms it', async () => {
  const { reply, extract } = understudyPorts();
  const asks: PortInput<'reply'>['asks'] = [{ ...ask, schema: account, unconfirmed: '4711' }];
  const { text: put } = await reply(
    { ...midway, message: 'Tom', asks, directions: [], tools: [] },
    callAfter(['agent: What is your name?', 'Tom']),
  );
  expect(put).toBe('What is your account number? You mentioned "4711": is that right?');
  const answer = (message: string, lines?: readonly string[]) =>
    extract(
      {
        ...midway,
        message,
        schema: { type: 'object', properties: { account_number: account } },
        asked: { path: ['account_number'], unconfirmed: '4711' },
      },
      lines === undefined ? call : callAfter([...lines, message]),
    );
  const lines = [`agent: ${put}`];
  expect(await answer('yes, that is right', lines)).toEqual({ value: { account_number: '4711' } });
  expect(await answer('yes')).toEqual({ value: { account_number: '4711' } });
  expect(await answer('no', lines)).toEqual({ value: {} });
  expect(await answer('no, 4712', lines)).toEqual({ value: { account_number: '4712' } });
});

test('a question for yes or no is put as it is, although the answer was mentioned', async () => {
  const asks = [
    { name: 'agreed', question: 'Do you agree?', schema: { type: 'boolean' }, required: true },
  ];
  const { text: put } = await understudyPorts().reply(
    { ...midway, asks: [{ ...asks[0]!, unconfirmed: true }], directions: [], tools: [] },
    callAfter([]),
  );
  expect(put).toBe('Do you agree? (yes or no)');
});

describe('a request to forget a value', () => {
  const known = (description: string, collected: number): JsonObject => ({
    ...text(description),
    'x-collected': collected,
  });
  const deliverables = {
    type: 'object',
    properties: {
      name: known('Wie ist Ihr Name?', 1),
      phone: known('What is your phone number?', 2),
      city: text('Where do you live?'),
      wish: text('What can we do for you?'),
    },
  };
  const schema = { type: 'object', properties: { deliverables, withdrawn: { type: 'object' } } };
  const answer = (message: string, asked: string) =>
    read({ ...midway, message, schema, asked: { path: ['deliverables', asked] } }, call);

  test.each([
    ['Forget my name', 'name'],
    ["Please don't store my name.", 'name'],
    ['Can you delete my name, please?', 'name'],
    ['I take back my phone number', 'phone'],
    ['please delete my phone number', 'phone'],
    ['Vergessen Sie bitte meinen Namen', 'name'],
    ['forget that', 'phone'],
    ['Forget what I said', 'phone'],
  ])('%s', (message, taken) => {
    expect(answer(message, 'city')).toEqual({ value: { withdrawn: { [taken]: true } } });
  });

  test('of a value that is not known is no answer, and any other may be one', () => {
    expect(answer('forget my city', 'city')).toEqual({ value: {} });
    for (const wish of ['delete my old pictures', 'Delete my city'])
      expect(answer(wish, 'wish')).toEqual({ value: { deliverables: { wish } } });
    expect(answer('I forget my name', 'wish')).toMatchObject({ value: { deliverables: {} } });
  });
});

test('a line after the new ones is not read: it has a turn of its own', async () => {
  const transcript = [
    { role: 'agent' as const, text: 'What is your name?' },
    { role: 'contact' as const, text: 'what do you want', isNew: true },
    { role: 'contact' as const, text: 'I am Ada' },
  ];
  const properties = { customer_name: name };
  const input = {
    ...midway,
    message: 'what do you want',
    schema: { type: 'object', properties },
    asked: { path: ['customer_name'] },
  };
  const heard = { ...call, transcript: async () => transcript };
  expect(await understudyPorts().extract(input, heard)).toEqual({ value: {} });
});
