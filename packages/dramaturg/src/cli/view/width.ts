const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Scripts and symbols that take two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]|\p{Emoji}\uFE0F/u;
const narrowOnly = /^[\x20-\x7E]*$/;

/** The graphemes of a text, with the columns each of them takes. */
function* columnsOf(text: string): Generator<{ readonly part: string; readonly width: number }> {
  for (const { segment } of graphemes.segment(text)) {
    yield { part: segment, width: wide.test(segment) ? 2 : /^\p{M}+$/u.test(segment) ? 0 : 1 };
  }
}

/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  if (narrowOnly.test(text)) return text.length;
  let width = 0;
  for (const column of columnsOf(text)) width += column.width;
  return width;
}

/** Cuts a text that is too wide, and ends it with an ellipsis. */
export function fitted(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  return `${head(text, most - 1)}…`;
}

/** The beginning of a text that fits, but at least one character. */
export function head(text: string, most: number): string {
  let taken = '';
  let width = 0;
  for (const column of columnsOf(text)) {
    width += column.width;
    if (taken !== '' && width > most) break;
    taken += column.part;
  }
  return taken;
}
