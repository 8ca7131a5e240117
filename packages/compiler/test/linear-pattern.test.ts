import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { LinearPattern } from '../src/linear-pattern.ts';
import { withinWork, workTaken } from '../src/link/work.ts';

/** Patterns of definitions. Spec: `LinearPattern` */

const atoms = ['a', 'b', '.', '\\d', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '\\.', '\\p{L}', 'ü'];
const pattern = fc.letrec<{ whole: string }>((tie) => ({
  whole: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...atoms),
    fc.tuple(tie('whole'), tie('whole')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('whole'), tie('whole')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie('whole'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
      .map(([part, times]) => `(${part})${times}`),
  ),
})).whole;
const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', ' ', 'ü', '😀'), maxLength: 6 });

describe('a pattern of a definition', () => {
  test('matches what JavaScript matches', () => {
    fc.assert(
      fc.property(pattern, text, (source, said) => {
        expect(new LinearPattern(source).test(said)).toBe(new RegExp(source, 'u').test(said));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['^[A-Z]{2}\\d{6}[A-D]$', 'QQ123456C', true],
    ['^[A-Z]{2}\\d{6}[A-D]$', 'QQ12345C', false],
    ['^\\d{5}(?:-\\d{4})?$', '12345-6789', true],
    ['^(?<year>\\d{4})-\\u{30}1$', '2026-01', true],
    ['[\\]x]', ']', true],
    ['^\\u{1F600}$', '😀', true],
    ['^\\uD83D\\uDE00$', '😀', true],
    ['', 'anything', true],
    ['a||b', '', true],
    [`^${'(?:'.repeat(9)}a{0}${'){500}'.repeat(9)}b$`, 'b', true],
  ])('%s and %s: %s', (source, said, matches) => {
    expect(new LinearPattern(source).test(said)).toBe(matches);
  });

  // JavaScript would search for years.
  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(?:a*)*b', '^(.*a){11}$'])(
    'cannot hang the process: %s',
    (source) => {
      expect(new LinearPattern(source).test(`${'a'.repeat(2_000)}!`)).toBe(false);
    },
  );

  test('finds out once for each character whether it belongs to a class', () => {
    const made = new LinearPattern('^[ab]*a[ab]{400}$');
    const classes = vi.spyOn(RegExp.prototype, 'test');
    made.test(`${'ab'.repeat(1_000)}!`);
    made.test('b'.repeat(1_000));
    const { length } = classes.mock.calls;
    classes.mockRestore();
    expect(length).toBe(6);
  });

  test('counts its work, which grows with the text, and ends a search when the step may do no more', () => {
    const made = new LinearPattern('[ab]*a[ab]{400}!');
    const workOf = (length: number) => {
      const before = workTaken();
      expect(made.test(`${'a'.repeat(length)}!`)).toBe(true);
      return workTaken() - before;
    };
    const [short, long] = [workOf(5_000), workOf(10_000)];
    expect(long).toBeGreaterThan(1_000_000);
    expect(long).toBeLessThan(2.1 * short);
    const before = workTaken();
    expect(withinWork(100_000, () => made.test(`${'a'.repeat(10_000)}!`))).toBeUndefined();
    expect(workTaken() - before).toBeLessThan(110_000);
  });

  test.each([
    ['(?=a)b', 'Lookarounds'],
    ['(?<!a)b', 'Lookarounds'],
    ['(a)\\1', 'References'],
    ['a{1000}', 'more than 500'],
    ['(?:a{400}){400}', 'more than 500'],
    ['(', 'Invalid regular expression'],
  ])('is refused: %s', (source, because) => {
    expect(() => new LinearPattern(source)).toThrow(because);
  });

  test.each(['^[A-Z]{2}\\d{6}[A-D]$', '^(?:yes|no)$', '\\d+', '^\\S+@\\S+$'])(
    'has a sample: %s',
    (source) => {
      const made = new LinearPattern(source);
      expect(made.test(made.sample)).toBe(true);
    },
  );
});
