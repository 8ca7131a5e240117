import type { Position, Range } from '../diagnostic.ts';

/** A part of the text by offsets. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Converts offsets of one text to lines and columns. */
export interface Positions {
  position(offset: number): Position;
  range(span: Span): Range;
}

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Builds the table of lines on the first request, because most texts have no findings. Parsers report missing parts past the end:
 * such an offset means the end.
 */
export function positionsOf(text: string): Positions {
  let lines: Uint32Array | undefined;

  function position(given: number): Position {
    // Fast path: findings about the whole text are at offset 0, even when the text is too large to scan.
    if (given === 0) return { line: 1, column: 1, offset: 0 };
    const offset = Math.min(given, text.length);
    lines ??= lineStarts(text);
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lines[low] ?? 0) + 1, offset };
  }

  return {
    position,
    range: ({ start, end }) => ({ start: position(start), end: position(end) }),
  };
}

/** Counts lines first, so that a text of only line ends costs four bytes a line. */
function lineStarts(text: string): Uint32Array {
  let count = 1;
  for (let offset = 0; offset < text.length; offset += 1) if (endsLine(text, offset)) count += 1;
  const starts = new Uint32Array(count);
  let line = 1;
  for (let offset = 0; offset < text.length; offset += 1)
    if (endsLine(text, offset)) starts[line++] = offset + 1;
  return starts;
}

/** `\n`, `\r\n` (at its second half) or a lone `\r`. */
function endsLine(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === lineFeed || (code === carriageReturn && text.charCodeAt(offset + 1) !== lineFeed);
}
