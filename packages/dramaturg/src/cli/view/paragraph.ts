import { partWithin, widthOf } from '@dramaturg/compiler/text';
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
      const part = fits ? rest : partWithin(rest, room);
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

/** Cuts a text that is too wide, and ends it with an ellipsis. */
export function fitted(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  return `${partWithin(text, most - 1)}…`;
}
