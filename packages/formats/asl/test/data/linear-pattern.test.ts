import { expect, test } from 'vitest';
import { LinearPattern } from '../../src/data/linear-pattern.ts';
import { SearchBudget } from '../../src/data/pattern.ts';

const all = new SearchBudget().stepsLeft;

/** The steps that a search takes. */
function stepsOf(pattern: string, text: string): number {
  const budget = new SearchBudget();
  new LinearPattern(pattern).matches(text, budget);
  return all - budget.stepsLeft;
}

const large = 256 * 1024;

test('a pattern that reads the text to its end for each match: the rest of the text counts as one match', () => {
  const text = 'x'.repeat(20_000);
  const matches = new LinearPattern('x.*y|x').matches(text);
  expect(matches.length).toBeLessThan(100);
  expect(matches[0]).toEqual({ start: 0, end: 1, kind: 'pattern' });
  expect(matches.at(-1)).toMatchObject({ end: text.length, kind: 'unchecked' });
  for (const [at, { start }] of matches.entries())
    expect(start).toBe(at === 0 ? 0 : matches[at - 1]!.end);
});

test('a pattern with many ways to match takes no more steps for a text without a match than any other', () => {
  const text = `${'a'.repeat(large - 1)}b`;
  const simple = stepsOf('[xyz]{4}', text);
  for (const pattern of ['(a+)+$', '(a|a|a)+$', '((a?){9}){9}a$', 'b*(a+)*c*[xyz]'])
    expect(stepsOf(pattern, `${text}!`)).toBeLessThan(simple * 1.5);
});

test.each([
  ['(a+)+$', 'a'.repeat(large)],
  [String.raw`(\w+\s?)*$`, 'lorem ipsum '.repeat(large / 12)],
  ['a{1,50}b', `${'a'.repeat(large)}b`],
])(
  'a match of %s in a large text that takes too many steps counts as unchecked',
  (pattern, text) => {
    const matches = new LinearPattern(pattern).matches(text);
    expect(matches).toEqual([{ start: 0, end: text.length, kind: 'unchecked' }]);
    expect(stepsOf(pattern, text)).toBe(all);
  },
);

test('states of a pattern that has very many of them count as steps', () => {
  let bits = 1;
  const text = Array.from({ length: large }, () => {
    bits = (Math.imul(bits, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (bits >>> 16) % 2 === 0 ? 'a' : 'b';
  }).join('');
  expect(stepsOf('[ab]*a[ab]{400}$', text)).toBe(all);
  expect(stepsOf('[ab]*a[ab]{2}c', text)).toBeLessThan(all / 2);
});

test('all texts of a value share the steps', () => {
  const budget = new SearchBudget();
  const pattern = new LinearPattern('[xyz]{4}');
  const text = 'a'.repeat(large);
  const found = Array.from({ length: 10 }, () => pattern.matches(text, budget));
  expect(found[0]).toEqual([]);
  expect(found.at(-1)).toEqual([{ start: 0, end: text.length, kind: 'unchecked' }]);
});

test('a large text without a match has none', () => {
  for (const pattern of [String.raw`\d{4}`, '/secret/i', '(a+)+$', '^b', String.raw`\bsecret\b`])
    expect(new LinearPattern(pattern).matches(`${'a'.repeat(large)}!`)).toEqual([]);
});

test('the matches of a short text, and of a pattern that reads it once, are all found', () => {
  expect(new LinearPattern('x.*y|x').matches('x'.repeat(500))).toHaveLength(500);
  expect(new LinearPattern(String.raw`\d+`).matches('12 '.repeat(9_000))).toHaveLength(9_000);
  expect(new LinearPattern('/SECRET/i').matches('a secret '.repeat(6_000))).toHaveLength(6_000);
  const far = `${'line\n'.repeat(9_000)}Ende`;
  expect(new LinearPattern('/^ende$/im').matches(far)).toHaveLength(1);
});

test('a pattern searches each text anew', () => {
  const pattern = new LinearPattern('x.*y|x');
  const first = pattern.matches('x'.repeat(20_000));
  expect(pattern.matches('x'.repeat(20_000))).toEqual(first);
  expect(pattern.matches('axb')).toEqual([{ start: 1, end: 2, kind: 'pattern' }]);
});
