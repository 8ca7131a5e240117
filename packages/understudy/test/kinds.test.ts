import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaled } from '../../../.config/scaled.ts';
import { answered } from './calls.ts';

/** Rules for whole categories of answers, tried with generated ones. */

const corpus = join(import.meta.dirname, '../../../../shared/corpus/plan');

function optionListsIn(value: unknown): string[][] {
  if (Array.isArray(value)) return value.flatMap(optionListsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'enum_values' && Array.isArray(inner) && inner.length > 1
      ? [inner.map(String)]
      : optionListsIn(inner),
  );
}

const own = [
  ['billing', 'technical', 'general'],
  ['small', 'medium', 'large'],
  ['refund_request', 'incorrect_charge', 'payment_issue'],
  ['Running', 'Swimming', 'Gym/Weights', 'Team Sports'],
  ['account', 'amount', 'count'],
  ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
];
const files = existsSync(corpus)
  ? readdirSync(corpus).filter((name) => name.endsWith('.json'))
  : [];
const lists = [
  ...own,
  ...files.flatMap((name) =>
    optionListsIn(JSON.parse(readFileSync(join(corpus, name), 'utf8').replace(/^\uFEFF/u, ''))),
  ),
];

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'.split(''));
const misspelling = fc
  .tuple(
    fc.constantFrom(...lists),
    fc.nat(),
    fc.nat(),
    fc.constantFrom('drop', 'swap', 'add', 'replace'),
    letter,
  )
  .map(([options, which, where, how, other]) => {
    const option = options[which % options.length]!;
    const said = option.replaceAll('_', ' ').toLowerCase();
    const at = where % said.length;
    const swapped = (said[at + 1] ?? '') + said[at];
    const middle = { drop: '', swap: swapped, add: said[at] + other, replace: other }[how];
    const after = how === 'swap' ? at + 2 : at + 1;
    return { options, option, typed: said.slice(0, at) + middle + said.slice(after) };
  });

test('an option with one wrong letter is that option or is asked for, and is never another one', () => {
  fc.assert(
    fc.property(misspelling, ({ options, option, typed }) => {
      const names = options.map((each) => each.replaceAll('_', ' ').toLowerCase());
      // The misspelling of one option may be the spelling of another.
      fc.pre(!names.includes(typed));
      fc.pre(!options.some((each) => each !== option && isWordOf(typed, each)));
      expect([option, undefined]).toContain(answered(typed, { enum: options }));
    }),
    { numRuns: scaled(2_000) },
  );
});

function isWordOf(typed: string, option: string): boolean {
  const words = option.toLowerCase().split(/[^a-z]+/u);
  return typed.split(/[^a-z]+/u).some((word) => word !== '' && words.includes(word));
}

test('most options with one wrong letter are understood', () => {
  const samples = fc
    .sample(misspelling, { numRuns: 500, seed: 1 })
    .filter(({ option }) => option.length >= 6);
  const understood = samples.filter(
    ({ options, option, typed }) => answered(typed, { enum: options }) === option,
  );
  expect(understood.length / samples.length).toBeGreaterThan(0.8);
});

test(`there is ${files.length === 0 ? 'no corpus of plans beside the project: its options are skipped' : 'a corpus of plans beside the project'}`, () => {
  expect(existsSync(corpus)).toBe(files.length > 0);
});

describe('what is no name is never recorded as one', () => {
  const questions = ['why', 'what is this', 'who are you', 'how long does it take', 'can you help'];
  const refusals = ['no', 'nope', 'no thanks', "I'd rather not", "I don't know", 'skip', 'none'];
  const greetings = ['hi', 'hello', 'hey there', 'good morning', 'Hello again'];
  const others = ['yes', 'ok', 'sure', 'maybe', 'help', 'please', 'nothing', 'idk'];
  const ends = fc.constantFrom('', '!', '.', '...', ' please', '??');
  const cased = (texts: readonly string[]) =>
    fc
      .tuple(fc.constantFrom(...texts), fc.boolean(), ends)
      .map(([text, loud, end]) => `${loud ? text.toUpperCase() : text}${end}`);

  test.each([
    ['questions', cased(questions.map((question) => `${question}?`))],
    ['refusals', cased(refusals)],
    ['greetings', cased(greetings)],
    ['other words', cased(others)],
    ['numbers', fc.integer().map(String)],
    ['email addresses', fc.emailAddress()],
    ['addresses of pages', fc.webUrl()],
  ])('%s', (_, texts: fc.Arbitrary<string>) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(answered(text, { type: 'string' }, 'customer_name')).toBeUndefined();
      }),
    );
  });
});

describe('numbers are read the same in words and in digits', () => {
  const small =
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
      ' ',
    );
  const tens = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
  const inWords = (value: number): string => {
    if (value < 20) return small[value]!;
    if (value < 100) {
      const rest = value % 10;
      return tens[Math.floor(value / 10)]! + (rest === 0 ? '' : `-${small[rest]!}`);
    }
    const [unit, name] = value < 1_000 ? [100, 'hundred'] : [1_000, 'thousand'];
    const rest = value % unit;
    const joint = unit === 100 || rest < 100 ? ' and ' : ' ';
    return `${inWords(Math.floor(value / unit))} ${name}${rest === 0 ? '' : joint + inWords(rest)}`;
  };
  const number = { type: 'number' };

  test('up to 999,999', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999 }), (value) => {
        expect(answered(`it is ${inWords(value)}`, number)).toBe(value);
        expect(answered(`about ${value}`, number)).toBe(value);
        expect(answered(value.toLocaleString('en-US'), number)).toBe(value);
      }),
    );
  });

  test('amounts of money', () => {
    fc.assert(
      fc.property(fc.nat({ max: 9_999_999 }), (cents) => {
        const amount = cents / 100;
        const written = amount.toLocaleString('en-US', { minimumFractionDigits: 2 });
        expect(answered(`$${written}`, number)).toBe(amount);
        expect(answered(`${written} euros please`, number)).toBe(amount);
      }),
    );
  });
});

test('email addresses are found in a sentence', () => {
  const address = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/u;
  fc.assert(
    fc.property(
      fc.emailAddress().filter((each) => address.test(each)),
      (email) => {
        expect(answered(`you can write to ${email}, thanks`, { type: 'string' }, 'email')).toBe(
          email,
        );
      },
    ),
  );
});

describe('of a field with a pattern, the part of the message that has it is the value', () => {
  const card = { type: 'string', pattern: '^C-\\d{4}$', description: 'Your card number?' };
  test.for([
    ['I borrowed 2 books on the 3rd, and the card says C-2040', 'C-2040'],
    ['c 2040 i think', 'C-2040'],
    ['C-2040, no sorry misread, C-2041', 'C-2041'],
    ['C-2040 or C-2041', undefined],
  ] as const)('%s', ([said, value]) => {
    expect(answered(said, card)).toBe(value);
  });
});
