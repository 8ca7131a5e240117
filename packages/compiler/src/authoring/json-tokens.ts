import type { Span } from '../read/positions.ts';

export interface JsonToken extends Span {
  /** A word is a text in quotes, a number, a keyword, or what may become one of these. */
  readonly kind: 'sign' | 'word' | 'comment';
  readonly text: string;
  /** Whether a text in quotes, or a comment in stars, has its end. */
  readonly isClosed: boolean;
}

/** The tokens of a text that may be broken: a text in quotes ends with its line at the latest. */
export function* jsonTokens(text: string, offset = 0): Generator<JsonToken> {
  const pattern =
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<sign>[{}[\],:])|(?<quoted>"[^"\\\n]*(?:\\.[^"\\\n]*)*(?<closing>"?))|[^\s{}[\],:"/]+|\//gy;
  const space = /\s*/y;
  for (let start = offset; ;) {
    space.lastIndex = start;
    space.exec(text);
    pattern.lastIndex = space.lastIndex;
    const found = pattern.exec(text);
    if (!found) return;
    const { comment, sign, closing } = found.groups!;
    const [written] = found;
    start = found.index + written.length;
    yield {
      kind: comment !== undefined ? 'comment' : sign !== undefined ? 'sign' : 'word',
      text: written,
      isClosed: comment !== undefined ? /^\/\*[^]*\*\/$/.test(comment) : closing === '"',
      start: found.index,
      end: start,
    };
  }
}
