import { type Output, type Style, visibleText } from '../output.ts';

/** Text that is written piece by piece, with line breaks between words. */
export interface Paragraph {
  readonly say: (text: string) => void;
  readonly end: () => void;
}

/**
 * Begins a paragraph: a label, and the text to its right.
 *
 * @param label as wide as `indent`, not counting its colour codes
 */
export function paragraph(
  { write, width, paint }: Output,
  label: string,
  indent: number,
  style?: Style,
): Paragraph {
  const margin = ' '.repeat(indent);
  const room = Math.max(10, width() - indent);
  let column = 0;
  let spaces = 0;
  /** The word that has not ended yet: its width is not known. */
  let word = '';
  let atMargin = true;
  write(label);

  const breakLine = () => {
    write('\n');
    column = 0;
    spaces = 0;
    atMargin = false;
  };
  const writeWord = (whole: string) => {
    let rest = whole;
    while (rest !== '') {
      const fits = column + spaces + widthOf(rest) <= room;
      if (!fits && column > 0) breakLine();
      const part = fits ? rest : head(rest, room);
      if (column === 0 && !atMargin) write(margin);
      const gap = column === 0 ? 0 : spaces;
      const written = ' '.repeat(gap) + part;
      write(style === undefined ? written : paint(style, written));
      column += gap + widthOf(part);
      spaces = 0;
      rest = rest.slice(part.length);
    }
  };
  const writeWhole = (text: string) => {
    for (const token of visibleText(text).match(/\n|[^\S\n]+|\S+/gu) ?? []) {
      if (token === '\n') breakLine();
      else if (token.trim() === '') spaces = Math.min(token.length, 4);
      else writeWord(token);
    }
  };

  return {
    say: (text) => {
      const all = word + text;
      const end = all.search(/\S*$/u);
      word = all.slice(end);
      writeWhole(all.slice(0, end));
    },
    end: () => {
      writeWhole(word);
      write('\n');
    },
  };
}

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
function head(text: string, most: number): string {
  let taken = '';
  let width = 0;
  for (const column of columnsOf(text)) {
    width += column.width;
    if (taken !== '' && width > most) break;
    taken += column.part;
  }
  return taken;
}
