import { splitText, utf8Bytes } from '@dramaturg/host/channel';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const packed = (text: string) => text.replace(/\s+/gu, '');
const graphemesOf = (text: string) =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** Words, white space, and graphemes of several code points. */
const piece = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(' ', '\n', '\n\n', '. ', '? ', '👩‍👩‍👧‍👦', 'é', '🇨🇱', '漢', '\r\n', 'a'.repeat(30)),
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

test('the parts of any text fit, have all of it in order, and break no grapheme that fits', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 30, max: 80 }), fc.boolean(), (whole, max, isInBytes) => {
      const parts = splitText(whole, { max, ...(isInBytes && { sizeOf: utf8Bytes }) });

      for (const part of parts)
        expect(isInBytes ? utf8Bytes(part) : part.length).toBeLessThanOrEqual(max);
      expect(packed(parts.join(''))).toBe(packed(whole));
      const kept = parts.flatMap((part) => graphemesOf(part)).filter((each) => each.trim() !== '');
      const given = graphemesOf(whole).filter((each) => each.trim() !== '');
      expect(kept).toEqual(given);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['One two three.', 8, ['One two', 'three.']],
  ['One. Two three four', 14, ['One. Two three', 'four']],
  ['One two. Three four', 14, ['One two.', 'Three four']],
  ['One two six\n\nthree four five', 20, ['One two six', 'three four five']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['', 3, ['']],
  ['short', 5, ['short']],
  ['See https://a.example/b/c?d=e now', 27, ['See', 'https://a.example/b/c?d=e', 'now']],
])('%j is divided at the best place', (whole, max, parts) => {
  expect(splitText(whole, { max })).toEqual(parts);
});

test('a grapheme that does not fit is divided between its code points', () => {
  const zalgo = `a${'́'.repeat(10)}`;

  expect(splitText(zalgo, { max: 4 }).join('')).toBe(zalgo);
  expect(splitText('😀', { max: 1 })).toEqual(['😀']);
});

test('each piece of a long text is measured once', () => {
  const words = 'word '.repeat(20_000);
  let measured = 0;
  const sizeOf = ({ length }: string) => {
    measured += 1;
    return length;
  };
  splitText(words, { max: 1_530, sizeOf });

  expect(measured).toBeLessThan(1.1 * words.length);
});
