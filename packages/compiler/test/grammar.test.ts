import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkShape } from '../src/entries/shapes.ts';
import { agreeing, counted, quotedList, withArticle } from '../src/entries/text.ts';
import { ambiguousFormat, unknownFormat } from '../src/format-problems.ts';

const words = (first: string) =>
  fc
    .tuple(fc.constantFrom(...first.split('')), fc.stringMatching(/^[a-z]{2,9}$/))
    .map((parts) => parts.join(''));

test.each([
  ['array', 'an array'],
  ['Approval state', 'an Approval state'],
  ['workflow', 'a workflow'],
  ['unit', 'a unit'],
  ['user', 'a user'],
  ['unknown field', 'an unknown field'],
  ['uninvited guest', 'an uninvited guest'],
  ['hour', 'an hour'],
  ['house', 'a house'],
  ['one-way street', 'a one-way street'],
  ['NPC', 'an NPC'],
  ['URL', 'a URL'],
  ['JSONPath state', 'a JSONPath state'],
  ['event', 'an event'],
  ['European', 'a European'],
  ['8', 'an 8'],
])('the article of %s', (noun, expected) => {
  expect(withArticle(noun)).toBe(expected);
  expect(withArticle(noun, 'A')).toBe(expected.replace('a', 'A'));
});

test('a word that begins with a consonant takes "a", and one with a, i or o takes "an"', () => {
  fc.assert(
    fc.property(words('bcdfgjklmnpqrstvwxyz'), (word) => {
      expect(withArticle(word)).toBe(`a ${word}`);
    }),
  );
  fc.assert(
    fc.property(words('ai'), (word) => {
      expect(withArticle(word)).toBe(`an ${word}`);
    }),
  );
});

test('one thing is singular, and any other number is plural', () => {
  expect(counted(1, 'field')).toBe('1 field');
  expect(counted(0, 'entry')).toBe('0 entries');
  expect(counted(2, 'key')).toBe('2 keys');
  expect(counted(3, 'match')).toBe('3 matches');
  expect(agreeing('child process', 2)).toBe('child processes');
  fc.assert(
    fc.property(fc.nat(), words('abcdefghijklmnopqrstuvwxyz'), (count, noun) => {
      expect(counted(count, noun).endsWith('s')).toBe(count !== 1 || noun.endsWith('s'));
    }),
  );
});

test('names are listed with a last word before the last one, and a long list is cut', () => {
  expect(quotedList([])).toBe('');
  expect(quotedList(['a'])).toBe('"a"');
  expect(quotedList(['a', 'b'], 'or')).toBe('"a" or "b"');
  expect(quotedList(['a', 'b', 'c'])).toBe('"a", "b" and "c"');
  expect(quotedList('abcdefghij'.split(''))).toBe(
    '"a", "b", "c", "d", "e", "f", "g", "h" and 2 more',
  );
});

test('sentences about shapes agree with the names and numbers of any schema', () => {
  const names = fc.uniqueArray(
    fc.oneof(words('aeiou'), words('bdt'), fc.string({ minLength: 1 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(names, fc.nat(3), (fields, least) => {
      const schema = z.object({
        ...Object.fromEntries(fields.map((field) => [field, z.string()])),
        list_of_all: z.array(z.string()).min(least),
        name_of_all: z.string().min(least),
      });
      const sentences = sentencesOf(schema, { list_of_all: [], name_of_all: '' });
      expect(sentences).toContain(`The ${agreeing('field', fields.length)} `);
      expect(sentences).not.toMatch(/1 (?:items|characters)\b|\b(?:0|2|3) (?:item|character)\b/);
      expect(sentences).not.toMatch(badArticle);
    }),
    { numRuns: 50 },
  );
});

test('sentences about formats have the right article for any title', () => {
  const titles = fc.array(words('aeibdnt'), { minLength: 2, maxLength: 3 });
  fc.assert(
    fc.property(titles, (all) => {
      const formats = all.map((title) => ({ name: title, title, signs: ['"steps"'] }));
      const { message, hint } = ambiguousFormat(formats);
      expect(`${message} ${String(hint)}`).not.toMatch(badArticle);
      const unknown = unknownFormat(all.map((title) => ({ title, because: 'it has no steps' })));
      expect(String(unknown.hint)).not.toMatch(badArticle);
    }),
  );
});

test('no message has an article directly before a name that it embeds', () => {
  const root = join(import.meta.dirname, '../../..');
  const found = globSync(
    '{packages/*,packages/channels/*,packages/formats/*,apps/*}/src/**/*.{ts,tsx}',
    { cwd: root },
  )
    .filter((file) => !file.endsWith('compiler/src/grammar.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => /\b[Aa]n? ["'“]?\$\{/.test(line) && !line.includes('"${"'))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

/** An article that does not suit the word after it; `eu` and `u` are left out, which can be either. */
const badArticle = /\ba "?(?:[aio]|e(?!u|w))|\ban "?[bcdfgjklmnpqrstvwxyz]/;

function sentencesOf(schema: z.ZodType, value: unknown): string {
  const sentences: string[] = [];
  checkShape(value, schema, ({ message, hint }) => {
    sentences.push(message, typeof hint === 'function' ? (hint() ?? '') : (hint ?? ''));
  });
  return sentences.join('\n');
}
