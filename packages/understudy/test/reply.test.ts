import type { PortInput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { call, callAfter, midway } from './calls.ts';

const quiet: PortInput<'reply'> = { ...midway, asks: [], directions: [], tools: [] };
const ask = {
  name: 'issue_type',
  question: 'Type of issue',
  schema: { type: 'string' },
  required: true,
};
const tool = { name: 'finish', description: 'Ends the talk', parameters: {} };

describe('the most urgent question says how it may be answered', () => {
  test.for([
    [{}, 'Type of issue?'],
    [{ question: 'What is it?' }, 'What is it?'],
    [{ question: 'Type of issue.' }, 'Type of issue?'],
    [{ question: '' }, 'What is your issue type?'],
    [{ question: 'issue type' }, 'What is your issue type?'],
    [{ question: 'Ask for the type of issue' }, 'What is your issue type?'],
    [{ question: "The customer's issue" }, 'What is your issue?'],
    [{ question: 'Whether the customer agrees' }, 'Do you agree?'],
    [
      { schema: { enum: ['billing', 'technical', 'refund_request'] } },
      'Type of issue: billing, technical or refund request?',
    ],
    [{ question: 'What is it?', schema: { enum: ['a', 'b'] } }, 'What is it? (a or b)'],
    [
      { schema: { type: 'array', items: { enum: ['a', 'b', 'c'] } } },
      'Type of issue: a, b and/or c?',
    ],
    [{ schema: { type: 'boolean' } }, 'Type of issue? (yes or no)'],
    [{ schema: { type: 'number' } }, 'Type of issue? (a number)'],
    [
      { schema: { type: 'integer', minimum: 1, maximum: 10 } },
      'Type of issue? (a whole number from 1 to 10)',
    ],
    [{ required: false }, 'Type of issue? (optional: you can say skip)'],
    [
      { schema: { type: 'number' }, required: false },
      'Type of issue? (a number; optional: you can say skip)',
    ],
  ] as const)('%o', async ([change, text]) => {
    const input = {
      ...quiet,
      asks: [
        { ...ask, ...change },
        { ...ask, question: 'Not yet' },
      ],
    };
    expect(await understudyPorts().reply(input as PortInput<'reply'>, call)).toEqual({
      text,
      toolCalls: [],
    });
  });
});

test('what a direction says goes before the question, and is done by saying it', async () => {
  const done = { name: 'complete', arguments: { id: 'greet' } };
  const directions = [
    { text: 'Greet the customer\n professionally.', done },
    { text: 'Be brief.' },
  ];
  expect(await understudyPorts().reply({ ...quiet, asks: [ask], directions }, call)).toEqual({
    text: 'Hello!\nType of issue?',
    toolCalls: [done],
  });
});

test('a welcome waits for an answer, unless it answers somebody who has written first', async () => {
  const done = { name: 'complete', arguments: { id: 'welcome' } };
  const directions = [{ text: 'Welcome the customer', done }];
  const { reply } = understudyPorts();
  expect(await reply({ ...quiet, directions }, call)).toMatchObject({ toolCalls: [] });
  expect(await reply({ ...quiet, message: 'I am Ada', directions }, call)).toMatchObject({
    toolCalls: [done],
  });
});

test('nobody is greeted twice by directions that apply for many turns', async () => {
  const input = { ...quiet, message: 'hm', directions: [{ text: 'Say hello' }] };
  const { reply } = understudyPorts();
  expect((await reply(input, call)).text).toBe('Hello!');
  const later = callAfter(['agent: Hello!', 'hi', 'agent: Tell me more.']);
  expect((await reply(input, later)).text).not.toContain('Hello');
});

test('an early message that looks like the answer is offered as one', async () => {
  const account = { ...ask, name: 'account_number', question: 'What is your account number?' };
  const { reply } = understudyPorts();
  const early: PortInput<'reply'> = { ...quiet, early: true, message: '4711-B', asks: [account] };
  const { text } = await reply(early, call);
  expect(text).toBe('What is your account number? You mentioned "4711-B": is that right?');
  const properties = { account_number: { type: 'string', description: account.question } };
  const input = {
    ...midway,
    message: 'yes',
    schema: { type: 'object', properties },
    asked: { path: ['account_number'] },
  };
  expect(await understudyPorts().extract(input, callAfter(['4711-B', `agent: ${text}`]))).toEqual({
    value: { account_number: '4711-B' },
  });
  expect((await reply({ ...early, message: 'yes' }, call)).text).not.toContain('mentioned');
});

test('a direction that asks is done once it is answered, and a goodbye waits for it', async () => {
  const done = (id: string) => ({ name: 'complete', arguments: { id } });
  const directions = [
    { text: 'Explain the terms and ask if they agree', done: done('terms') },
    { text: 'Thank them and say goodbye', done: done('bye') },
  ];
  const { reply } = understudyPorts();
  expect(await reply({ ...quiet, directions }, call)).toEqual({
    text: 'This is about the terms. Do you agree?',
    toolCalls: [],
  });
  expect(await reply({ ...quiet, asks: [ask], directions }, call)).toEqual({
    text: 'Type of issue?',
    toolCalls: [],
  });
  expect(await reply({ ...quiet, directions: directions.slice(1) }, call)).toEqual({
    text: 'Thank you! Goodbye!',
    toolCalls: [done('bye')],
  });
});

test('what was not recorded is said first, without words of the inside', async () => {
  const refused = (text: string) => [
    { title: 'Who you are', text: 'A helper.' },
    { title: 'Not recorded', text },
  ];
  const { reply } = understudyPorts();
  expect(
    await reply({ ...quiet, prompt: refused('Urgency goes from 1 to 10.'), asks: [ask] }, call),
  ).toEqual({
    text: 'Sorry, that is not recorded. Urgency goes from 1 to 10.\nType of issue?',
    toolCalls: [],
  });
  expect(
    await reply(
      { ...quiet, prompt: refused('This state does not collect "a_b".'), asks: [ask] },
      call,
    ),
  ).toEqual({ text: 'Sorry, that is not recorded.\nType of issue?', toolCalls: [] });
  const failed = [{ title: 'Not done', text: 'There is no room.' }];
  expect((await reply({ ...quiet, prompt: failed, asks: [ask] }, call)).text).toBe(
    'Sorry, that did not work. There is no room.\nType of issue?',
  );
});

test('with nothing to ask it invites to go on, and with nothing to do it closes', async () => {
  const { reply } = understudyPorts();
  expect(await reply({ ...quiet, tools: [tool] }, call)).toEqual({
    text: 'Please go on.',
    toolCalls: [],
  });
  expect(await reply(quiet, call)).toEqual({
    text: 'Thank you, that is all from me.',
    toolCalls: [],
  });
});

test('a reply is streamed by words that make up its text', async () => {
  const parts: string[] = [];
  const hear = { ...call, onText: (part: string) => parts.push(part) };
  const { text } = await understudyPorts({ wordDelay: 1 }).reply(
    { ...quiet, asks: [ask], directions: [{ text: 'Greet them' }] },
    hear,
  );
  expect(parts).toEqual(['Hello!\n', 'Type ', 'of ', 'issue?']);
  expect(parts.join('')).toBe(text);
});

test('an aborted reply stops at once', async () => {
  const controller = new AbortController();
  const parts: string[] = [];
  const hear = {
    signal: controller.signal,
    onText: (part: string) => {
      parts.push(part);
      controller.abort(new Error('nobody waits'));
    },
  };
  await expect(
    understudyPorts({ wordDelay: 60_000 }).reply({ ...quiet, asks: [ask] }, hear),
  ).rejects.toThrow('nobody waits');
  expect(parts).toEqual(['Type ']);
});

test('it has no thoughts and no memories', async () => {
  const { think, recall } = understudyPorts();
  expect(
    await think({ ...midway, prompt: [{ title: 'Reflection', text: 'Think.' }] }, call),
  ).toEqual({
    text: 'The understudy is not a language model and has no thoughts about "Reflection".',
  });
  expect(await recall({ ...midway, queries: ['Ada'], limit: 3 }, call)).toEqual({ memories: [] });
});

test('an answer in another form than the pattern is asked for again with a text that has it', async () => {
  const schema = { type: 'string', pattern: '^[A-Z]\\d{9}$', examples: ['A123456789'] };
  const number = {
    name: 'insurance_number',
    question: 'What is your number?',
    schema,
    required: true,
  };
  const input = { ...midway, message: 'no idea', asks: [number], directions: [], tools: [] };
  const asked = callAfter(['agent: What is your number?', 'no idea']);
  expect((await understudyPorts().reply(input, asked)).text).toContain('such as A123456789.');
});

test('a refused value is apologised for once', async () => {
  const prompt = [{ title: 'Not recorded', text: '"A12" is too short.' }];
  const input = { ...midway, message: 'A12', prompt, asks: [ask], directions: [], tools: [] };
  const { text } = await understudyPorts().reply(
    input,
    callAfter(['agent: Type of issue?', 'A12']),
  );
  expect(text.match(/sorry/giu)).toHaveLength(1);
});
