import { DramaturgError } from '@dramaturg/compiler';

/** A string does not follow its grammar. Caught by the function that parses the string. */
export class ParseError extends DramaturgError<'asl/parse-error'> {
  override readonly name = 'ParseError';

  constructor(message: string) {
    super('asl/parse-error', message);
  }
}

/** Reads a string from its beginning to its end. */
export interface Reader {
  readonly at: number;
  readonly isAtEnd: () => boolean;
  readonly peek: () => string | undefined;
  readonly rest: () => string;
  readonly since: (start: number) => string;
  /** Skips the expected string, if it comes next. */
  readonly take: (expected: string) => boolean;
  /** Takes the match of a sticky pattern at this position. */
  readonly match: (pattern: RegExp) => string | undefined;
  readonly skipBlanks: () => void;
  /** Takes a string in single or double quotes, with its escapes resolved. */
  readonly quoted: () => string | undefined;
  readonly stop: (because: string) => never;
}

export function readerOf(text: string): Reader {
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const stop = (because: string): never => {
    throw new ParseError(because);
  };
  return {
    get at() {
      return at;
    },
    isAtEnd: () => at === text.length,
    peek: () => text[at],
    rest: () => text.slice(at),
    since: (start) => text.slice(start, at),
    take(expected) {
      const found = text.startsWith(expected, at);
      if (found) at += expected.length;
      return found;
    },
    match,
    skipBlanks: () => void match(blanks),
    quoted() {
      const quote = text[at];
      if (quote !== "'" && quote !== '"') return undefined;
      let value = '';
      for (let next = at + 1; next < text.length; next += 1) {
        const character = text[next]!;
        if (character === quote) {
          at = next + 1;
          return value;
        }
        // AWS resolves only the escape of the quote itself.
        if (character === '\\' && text[next + 1] === quote) next += 1;
        value += text[next] ?? '';
      }
      return stop('a text is not closed');
    },
    stop,
  };
}

const blanks = /\s*/y;
