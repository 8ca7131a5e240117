/**
 * The style of a text, to estimate its size. Sizes are estimated, not measured, so that a layout is the same on a server,
 * in a test and in every browser. The style sheet cuts wider text with an ellipsis.
 */

export interface TextStyle {
  /** Pixels. */
  readonly size: number;
  readonly lineHeight: number;
  /** The most pixels of a line. */
  readonly maxWidth: number;
  readonly maxLines: number;
}

export interface TextBlock {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Breaks a text into lines at spaces and punctuation, longer words anywhere; overflow ends in "…". */
export function textBlock(
  text: string,
  { size, lineHeight, maxWidth, maxLines }: TextStyle,
): TextBlock {
  const lines: string[] = [];
  let line = '';
  let rest = text.replace(/\s+/g, ' ').trim();
  while (rest !== '' && lines.length < maxLines) {
    const word = firstPiece(rest);
    if (textWidth(line + word.trimEnd(), size) <= maxWidth) {
      line += word;
      rest = rest.slice(word.length);
    } else if (line !== '') {
      lines.push(line.trimEnd());
      line = '';
    } else {
      const part = fitting(word, size, maxWidth);
      lines.push(part);
      rest = rest.slice(part.length);
    }
  }
  if (line !== '' && lines.length < maxLines) lines.push(line.trimEnd());
  else if (line !== '' || rest !== '') {
    const last = lines.pop() ?? '';
    lines.push(`${fitting(last, size, maxWidth - textWidth('…', size)).trimEnd()}…`);
  }
  const width = Math.max(0, ...lines.map((each) => textWidth(each, size)));
  return { lines, width: Math.ceil(width), height: lines.length * lineHeight };
}

/** The part of a text up to its first possible line break: a space, punctuation, or the next word of `camelCase`. */
function firstPiece(text: string): string {
  const [word = text] = /^(?:[^\s_./:-]+[_./:-]*|[_./:-]+) ?/.exec(text) ?? [];
  return /^.*?\p{Ll}(?=\p{Lu})/u.exec(word)?.[0] ?? word;
}

/** The longest fitting prefix, at least one character. */
function fitting(text: string, size: number, maxWidth: number): string {
  let part = '';
  for (const character of text) {
    if (part !== '' && textWidth(part + character, size) > maxWidth) break;
    part += character;
  }
  return part;
}

function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const character of text) ems += emsOf(character);
  return ems * size;
}

/** Character widths of a common sans serif font, rounded up. */
function emsOf(character: string): number {
  if (/[ijlI|.,:;'!()[\]]/.test(character)) return 0.37;
  if (/[frt \-/"]/.test(character)) return 0.42;
  if (/[mwMW@%—…]/.test(character)) return 0.98;
  if (/[A-Z_&+<>=→]/.test(character)) return 0.78;
  if (character.codePointAt(0)! > 0x2e7f) return 1.1;
  return 0.63;
}
