import { expect, test } from 'vitest';
import { LinearPattern } from '../../src/data/linear-pattern.ts';

test('a pattern that reads the text to its end for each match: the rest of the text counts as one match', () => {
  const text = 'x'.repeat(20_000);
  const matches = new LinearPattern('x.*y|x').matches(text);
  expect(matches.length).toBeLessThan(100);
  expect(matches[0]).toEqual({ start: 0, end: 1, kind: 'pattern' });
  expect(matches.at(-1)).toMatchObject({ end: text.length });
  for (const [at, { start }] of matches.entries())
    expect(start).toBe(at === 0 ? 0 : matches[at - 1]!.end);
});

test('the matches of a short text, and of a pattern that reads it once, are all found', () => {
  expect(new LinearPattern('x.*y|x').matches('x'.repeat(500))).toHaveLength(500);
  expect(new LinearPattern(String.raw`\d+`).matches('12 '.repeat(9_000))).toHaveLength(9_000);
  expect(new LinearPattern('/SECRET/i').matches('a secret '.repeat(9_000))).toHaveLength(9_000);
});

test('a pattern searches each text anew', () => {
  const pattern = new LinearPattern('x.*y|x');
  const first = pattern.matches('x'.repeat(20_000));
  expect(pattern.matches('x'.repeat(20_000))).toEqual(first);
  expect(pattern.matches('axb')).toEqual([{ start: 1, end: 2, kind: 'pattern' }]);
});
