import { linkedPieces, markdownPieces, type Piece } from '@dramaturg/channel-web/markdown';
import { expect, test } from 'vitest';

/** Pieces as text: links as `{text→address}`. */
function shown(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      const { href } = piece.attributes;
      return href === undefined ? shown(piece.children) : `{${shown(piece.children)}→${href}}`;
    })
    .join('');
}

const evil = 'https://evil.example/';

test.each([
  '[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>',
  `![t](${evil}track.png)`,
  `<a href="${evil}" onclick="x()">text</a>`,
  '[c]: javascript:alert(1)',
  '[https://bank.example/login](https://evil.example/login)',
  `[see www.bank.example](${evil})`,
  'https://bank.example@evil.example/',
  '[bank](https://bank.example:pw@evil.example)',
  '[constructor](__proto__)',
])('%s is shown as it was written', (text) => {
  expect(shown(markdownPieces(text))).toBe(text);
});

test.each([
  [`[https://evil.example](${evil}a)`, `{https://evil.example→${evil}a}`],
  [`[a](${evil} "t" onmouseover=1)`, `[a]({${evil}→${evil}} "t" onmouseover=1)`],
  [`(see ${evil}a_(b)). ${evil}c).`, `(see {${evil}a_(b)→${evil}a_(b)}). {${evil}c→${evil}c}).`],
  ['- [ ] one\n- [x] two', '[ ] one[x] two'],
])('%j has the links %j', (text, links) => {
  expect(shown(markdownPieces(text))).toBe(links);
});

test('each character at the end of an address is looked at once', () => {
  const text = `${evil}${'('.repeat(500_000)}a${'.)'.repeat(1_000_000)}`;
  const [link] = linkedPieces(text);
  expect(shown([link!])).toContain('(a.)');
});
