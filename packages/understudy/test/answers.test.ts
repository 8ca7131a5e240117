import { describe, expect, test } from 'vitest';
import { answered, extracted } from './calls.ts';

const text = { type: 'string' };
const yesOrNo = { type: 'boolean' };

describe('yes', () => {
  test.for([
    'yes',
    'Yeah!',
    'yep, sure',
    'of course',
    'I do',
    'I did, yesterday',
    'correct',
    "that's right",
    'true',
    'definitely',
    'absolutely',
    'ok',
    'right',
    'y',
    'well, yes',
    'I exercised, yes',
    'no problem',
    'why not?',
    'yes, but I didn’t finish',
    'Ja, gerne',
    'Stimmt.',
    'oui, merci',
    'Sí, claro',
    'sim',
  ])('%s', (message) => {
    expect(answered(message, yesOrNo)).toBe(true);
  });
});

describe('no', () => {
  test.for([
    'no',
    'Nope.',
    'nah',
    'no thanks',
    'not really',
    'not yet',
    'never',
    "I don't",
    'I don’t think so',
    "didn't",
    'false',
    'of course not',
    "that's not correct",
    'okay, no',
    'actually, no',
    'Nein danke',
    'stimmt nicht',
    'non',
    'Claro que no',
    'não',
  ])('%s', (message) => {
    expect(answered(message, yesOrNo)).toBe(false);
  });
});

describe('neither yes nor no', () => {
  test.for([
    'yes and no',
    'yes, no',
    'yes but no',
    'maybe',
    "I don't know",
    'I have a question',
    'yesterday',
    'why?',
    'skip',
    '',
  ])('%s', (message) => {
    expect(answered(message, yesOrNo)).toBeUndefined();
  });
});

test('a list of numbers', () => {
  expect(answered('1 and 3, please', { type: 'array', items: { type: 'number' } })).toEqual([1, 3]);
});

describe('a name is taken out of the sentence that gives it', () => {
  test.for([
    ['Ada', 'Ada'],
    ['Ada.', 'Ada'],
    ['my name is Ada', 'Ada'],
    ['My name is Ada Lovelace, and I am 34', 'Ada Lovelace'],
    ['My name is Ada and I have a problem', 'Ada'],
    ['I’m Ada!', 'Ada'],
    ["it's Ada", 'Ada'],
    ['You can call me Dr. Johnson', 'Dr. Johnson'],
    ['Hi, I am Ada', 'Ada'],
    ["I'm Maria from Zurich", 'Maria'],
    ['Maria, and please be quick', 'Maria'],
    ['Ada. Why do you ask?', 'Ada'],
    ['name: Ada', 'Ada'],
    ['Robert Downey Jr.', 'Robert Downey Jr.'],
    ["Anna-Lena O'Brien", "Anna-Lena O'Brien"],
    ['Hello Kitty', 'Hello Kitty'],
    ["I'm fine, thanks", undefined],
    ['Hello, I have a billing problem', undefined],
  ] as const)('%s', ([message, name]) => {
    expect(answered(message, text, 'user_name')).toBe(name);
  });
});

describe('any other text is kept as it was written', () => {
  test.for([
    ['0123', '0123'],
    ['milk, bread, and eggs.', 'milk, bread, and eggs'],
    ["I'm having trouble logging in", "I'm having trouble logging in"],
    ['He said "no" to me', 'He said "no" to me'],
    ['Hi, my invoice is wrong', 'my invoice is wrong'],
    ["it's too hard", 'too hard'],
    ['at 5 p.m.', 'at 5 p.m.'],
    ['It said: Error 42. What do I do?', 'It said: Error 42'],
  ] as const)('%s', ([message, kept]) => {
    expect(answered(message, text, 'summary')).toBe(kept);
  });
});

test('a place is taken out of the sentence that gives it', () => {
  expect(answered("I'm from Zurich", text, 'user_location')).toBe('Zurich');
  expect(answered('I live in New York.', text, 'user_location')).toBe('New York');
});

test('a greeting, an empty line and a question back are no text', () => {
  for (const message of [
    '',
    '   ',
    'hi',
    'Hello there!',
    'why do you ask?',
    'What is that?',
    'sorry?',
  ]) {
    expect(answered(message, text, 'summary')).toBeUndefined();
  }
});

test('a question is an answer where a question or a request is asked for', () => {
  const request = { type: 'string', description: 'What the user needs help with' };
  expect(answered('How do I reset my password?', request, 'user_request')).toBe(
    'How do I reset my password?',
  );
  expect(answered('Why do you ask?', request, 'user_request')).toBeUndefined();
});

describe('who may decline and does gets what is recorded for it', () => {
  test.for([
    'skip',
    'Skip it, please',
    'can we skip this?',
    'pass',
    'no',
    'No, thanks.',
    'none',
    'n/a',
    "I'd rather not",
    'I’d rather not say',
    "don't know",
    'I do not know',
    "I don't have an account number",
    'no idea',
  ])('%s', (message) => {
    const ifDeclined = { skipped: ['account_number'] };
    expect(
      extracted(message, { account_number: text }, { asked: 'account_number', ifDeclined }),
    ).toEqual(ifDeclined);
  });
});

test('an unreadable answer declines nothing', () => {
  const ifDeclined = { skipped: ['age'] };
  expect(
    extracted('quite a bit', { age: { type: 'number' } }, { asked: 'age', ifDeclined }),
  ).toEqual({});
  expect(
    extracted('No, I think it was perfect', { feedback: text }, { asked: 'feedback', ifDeclined }),
  ).toEqual({
    feedback: 'No, I think it was perfect',
  });
});

test('where an answer is required, "none" is one and a refusal is not', () => {
  expect(answered('None.', text, 'allergies')).toBe('None');
  expect(answered('no', text, 'allergies')).toBe('no');
  expect(answered("I'd rather not", text, 'allergies')).toBeUndefined();
  expect(answered('skip', text, 'allergies')).toBeUndefined();
});

test('"no" answers a yes-or-no question that may be declined', () => {
  const question = { asked: 'more_help', ifDeclined: { skipped: ['more_help'] } };
  expect(extracted('no thanks', { more_help: yesOrNo }, question)).toEqual({ more_help: false });
  expect(extracted("I'd rather not say", { more_help: yesOrNo }, question)).toEqual({
    skipped: ['more_help'],
  });
});

test('a question that is about no value is answered by anything but a question back', () => {
  const question = { asked: ['tasks', 'greeting'], ifDeclined: { completed: ['greeting'] } };
  expect(extracted('Nice to meet you', { user_name: text }, question)).toEqual({
    completed: ['greeting'],
  });
  expect(extracted('What do you mean?', { user_name: text }, question)).toEqual({});
  expect(extracted('', { user_name: text }, question)).toEqual({});
});

describe('a wish about the conversation needs more than a bare yes or one of its words', () => {
  const properties = {
    name: { type: 'string', description: 'Under which name?' },
    leave: {
      type: 'boolean',
      description: 'Whether the person wants to leave this whole part out.',
    },
  };
  test.for([
    ['Ruth, yes', { name: 'Ruth' }],
    ['We leave at nine, Ruth', { name: 'Ruth' }],
    ['300 out of 1200', {}],
    ['Please leave this whole part out', { leave: true }],
  ] as const)('%s', ([message, expected]) => {
    expect(extracted(message, properties, { asked: 'name' })).toEqual(expected);
  });
});

test('no with a contrast is no', () => {
  for (const message of ['No, not yet', 'nope, not today', 'no, it is not'])
    expect(answered(message, yesOrNo)).toBe(false);
});
