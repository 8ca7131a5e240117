import type { Positions, Span } from './positions.ts';

/** A problem of a line's indentation, and the beginning of the line. */
export interface IndentationProblem {
  readonly span: Span;
  readonly message: string;
  readonly hint: string;
}

/** A line as written, the offset at which it begins, and its number from 1. */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly number: number;
}

/**
 * Finds the line whose wrong indentation caused an error of the YAML parser. The parser reports where it cannot continue,
 * which is often a line too late or too early.
 */
export class Indentation {
  readonly #lines: readonly Line[];
  readonly #positions: Positions;

  constructor(text: string, positions: Positions) {
    let start = 0;
    this.#lines = text.split('\n').map((line, index) => {
      const placed = { text: line.replace(/\r$/, ''), start, number: index + 1 };
      start += line.length + 1;
      return placed;
    });
    this.#positions = positions;
  }

  /** The first line that is indented with a tab, up to the line after an error. */
  tabBefore(offset: number): IndentationProblem | undefined {
    const last = this.#positions.position(offset).line + 1;
    const tabbed = this.#lines.filter(({ text }) => /^ *\t\s*\S/.test(text));
    const [first, ...others] = tabbed;
    if (!first || first.number > last) return undefined;
    const also = others.slice(0, 5).map(({ number }) => number);
    const rest = others.length > also.length ? ', …' : '';
    return {
      span: { start: first.start, end: first.start + /^\s*/.exec(first.text)![0].length },
      message: 'This line is indented with a tab.',
      hint: `Indent with spaces${also.length > 0 ? `, here and in ${also.length === 1 ? 'line' : 'lines'} ${also.join(', ')}${rest}` : ''}.`,
    };
  }

  /** The next line, when it is indented like a part of the value on this line. */
  deeperThanKey(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const next = line && this.#following(line);
    if (!next || !isEntry(next.text)) return undefined;
    const column = keyColumn(line.text);
    if (indentOf(next.text) <= column) return undefined;
    return this.#misplaced(next, line);
  }

  /** An earlier line with a quote that is not closed on that line. */
  unclosedBefore(offset: number): IndentationProblem | undefined {
    const last = this.#positions.position(offset).line;
    for (const { text, start } of this.#lines.slice(0, last)) {
      const found = /^(\s*(?:-\s+)*(?:[^\s#"'][^#"']*?:\s+)?)(["'])(.*)$/.exec(text);
      if (!found) continue;
      const [, before, mark, rest] = found;
      const isClosed =
        mark === '"' ? /^(?:[^"\\]|\\.)*"/.test(rest!) : /^(?:[^']|'')*'/.test(rest!);
      if (isClosed) continue;
      return {
        span: { start: start + before!.length, end: start + text.length },
        message: 'This text in quotes is not closed.',
        hint: `Write ${mark} where the text ends.`,
      };
    }
    return undefined;
  }

  /** A line that lacks a colon after its key, or a space after the colon. */
  withoutColon(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const found = line && /^(\s*(?:-\s+)*)([\p{L}_][\p{L}\p{N}_-]*)(:?)(.*)$/u.exec(line.text);
    if (!found || isEntry(line.text)) return undefined;
    const [, before, key, colon, rest] = found;
    const value = rest!.trim();
    return {
      span: { start: line.start + before!.length, end: line.start + line.text.trimEnd().length },
      message: colon
        ? `There is no space after the colon of "${key}".`
        : `There is no colon after "${key}".`,
      hint:
        value.length > 60
          ? `Write "${key}: " and then the value.`
          : `Write "${key}:${value ? ` ${value}` : ''}"; if it continues the text above, indent it deeper.`,
    };
  }

  /** A line whose column is not one of the columns above it. */
  notAligned(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const above = line && this.#preceding(line);
    return line && above && isEntry(line.text) ? this.#misplaced(line, above) : undefined;
  }

  #misplaced(line: Line, above: Line): IndentationProblem {
    const start = line.start + indentOf(line.text);
    const span = { start, end: line.start + line.text.trimEnd().length };
    const column = indentOf(line.text) + 1;
    if (isItem(line.text)) {
      const sibling = this.#itemAbove(line);
      return {
        span,
        message: `This list item begins in column ${column}, and no list above it does.`,
        hint: sibling
          ? `Begin it in column ${indentOf(sibling.text) + 1}, like the item in line ${sibling.number}.`
          : 'Begin it in the same column as the other items of its list.',
      };
    }
    const key = this.#keyAbove(line) ?? above;
    return {
      span,
      message: `This line begins in column ${column}, not in the column of the keys above it.`,
      hint: `Begin it in column ${keyColumn(key.text) + 1}, like the key in line ${key.number}.`,
    };
  }

  #lineAt(offset: number): Line | undefined {
    return this.#lines[this.#positions.position(offset).line - 1];
  }

  #following({ number }: Line): Line | undefined {
    return this.#lines.slice(number).find(hasContent);
  }

  #preceding({ number }: Line): Line | undefined {
    return this.#lines.slice(0, number - 1).findLast(hasContent);
  }

  #itemAbove(line: Line): Line | undefined {
    return this.#nearestAbove(line, isItem, indentOf);
  }

  #keyAbove(line: Line): Line | undefined {
    return this.#nearestAbove(line, isEntry, keyColumn);
  }

  /** The line above with the nearest column; the last one if there are several. */
  #nearestAbove(
    { number, text }: Line,
    isMeant: (text: string) => boolean,
    columnOf: (text: string) => number,
  ): Line | undefined {
    const lines = this.#lines.slice(Math.max(0, number - 1 - linesAbove), number - 1).toReversed();
    const distance = (one: Line) => Math.abs(columnOf(one.text) - indentOf(text));
    return lines
      .filter((one) => isMeant(one.text))
      .toSorted((one, other) => distance(one) - distance(other))[0];
  }
}

/** The number of lines above to search for a line to align with. */
const linesAbove = 200;

function hasContent({ text }: Line): boolean {
  return /^\s*[^\s#]/.test(text);
}

function isItem(text: string): boolean {
  return /^\s*-(?:\s|$)/.test(text);
}

/** Whether a line begins with a key or a list item. */
function isEntry(text: string): boolean {
  return isItem(text) || /^\s*(?:"[^"]*"|'[^']*'|[^\s#"'[\]{},][^#]*?)\s*:(?:\s|$)/.test(text);
}

function indentOf(text: string): number {
  return /^\s*/.exec(text)![0].length;
}

/** The column, from 0, of the first key of a line, after any `- `. */
function keyColumn(text: string): number {
  return /^\s*(?:-\s+)*/.exec(text)![0].length;
}
