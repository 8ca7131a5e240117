import type { Span } from '../read/positions.ts';
import { read } from '../read/read.ts';
import type { Cursor } from './cursor.ts';

interface Container {
  readonly isList: boolean;
  /** The current key or index; undefined before the first key. */
  step: string | number | undefined;
  expects: 'key' | 'colon' | 'value' | 'comma';
}

/** Walks the tokens before the offset. Ignores missing commas and colons, and brackets that do not match. */
export function jsonCursor(text: string, offset: number): Cursor | undefined {
  const open: Container[] = [];
  for (const token of jsonTokens(text)) {
    const { kind, start, end, isClosed } = token;
    if (start >= offset && !(kind === 'word' && start === offset)) break;
    if (kind === 'comment') {
      if (offset < end || (offset === end && !isClosed)) return undefined;
    } else if (kind === 'word' && offset <= end) {
      // The cursor follows the closing quote.
      if (offset === end && isClosed) return undefined;
      return cursorOf(text, offset, open, token);
    } else {
      take(open, token);
    }
  }
  return cursorOf(text, offset, open, { start: offset, end: offset });
}

function cursorOf(
  text: string,
  offset: number,
  open: readonly Container[],
  { start, end }: Span,
): Cursor {
  const top = open.at(-1);
  const isKey = top !== undefined && !top.isList && /^(?:key|comma)$/.test(top.expects);
  const path = open.map(({ step }) => step ?? '');
  if (isKey) path.pop();
  else if (top?.expects === 'comma') path[path.length - 1] = Number(top.step) + 1;
  const isQuoted = text[start] === '"' && offset > start;
  const next = nextSign(text, end);
  return {
    part: isKey ? 'key' : 'value',
    path,
    token: { start, end },
    quote: isQuoted ? '"' : '',
    typed: text.slice(start + (isQuoted ? 1 : 0), offset),
    mayBeKey: false,
    hasColon: next === ':',
    lacksComma: /^["{[]$/.test(next),
    isInBrackets: true,
    before: read(text.slice(0, start), { language: 'json' }).value,
  };
}

function take(open: Container[], { kind, text }: JsonToken): void {
  const top = open.at(-1);
  if (text === '{' || text === '[') {
    const isList = text === '[';
    open.push({ isList, step: isList ? 0 : undefined, expects: isList ? 'value' : 'key' });
  } else if (text === '}' || text === ']') {
    const index = open.findLastIndex(({ isList }) => isList === (text === ']'));
    if (index < 0) return;
    open.length = index;
    const outer = open.at(-1);
    if (outer) outer.expects = 'comma';
  } else if (!top) {
    return;
  } else if (text === ',') {
    if (top.isList) top.step = Number(top.step) + 1;
    top.expects = top.isList ? 'value' : 'key';
  } else if (text === ':') {
    if (!top.isList) top.expects = 'value';
  } else if (kind === 'word' && !top.isList && /^(?:key|comma)$/.test(top.expects)) {
    top.step = keyOf(text);
    top.expects = 'colon';
  } else {
    if (top.isList && top.expects === 'comma') top.step = Number(top.step) + 1;
    top.expects = 'comma';
  }
}

/** The name that a key in quotes means, with its escapes if they are right. */
function keyOf(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written.replaceAll('"', '');
  }
}

function nextSign(text: string, offset: number): string {
  for (const { kind, text: token } of jsonTokens(text, offset))
    if (kind !== 'comment') return token[0]!;
  return '';
}

interface JsonToken extends Span {
  /** A word is a string in quotes, a number, a keyword, or the beginning of one. */
  readonly kind: 'sign' | 'word' | 'comment';
  readonly text: string;
  /** Whether a string, or a comment in stars, is closed. */
  readonly isClosed: boolean;
}

/** The tokens of a text that may be broken: a string ends with its line at the latest. */
function* jsonTokens(text: string, offset = 0): Generator<JsonToken> {
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
