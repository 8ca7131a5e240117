import { isRecord, type Path } from '../json.ts';
import type { Span } from '../read/positions.ts';
import { read } from '../read/read.ts';
import type { Source } from '../read/source.ts';

/** The key or value being typed at an offset. Found from the text before the offset only, because it may be half typed. */
export interface Cursor {
  /** A key of an object, or a value. */
  readonly part: 'key' | 'value';
  /** The path of the value, or of the object that has the key. */
  readonly path: Path;
  /** The key or value under the cursor with its quotes; empty between two others. */
  readonly token: Span;
  readonly quote: '' | '"' | "'";
  /** The text of the token before the cursor, without the quote. */
  readonly typed: string;
  /** In YAML, a value that is alone in its line may become the first key of an object. */
  readonly mayBeKey: boolean;
  readonly hasColon: boolean;
  /** Another key or value follows without a comma. */
  readonly lacksComma: boolean;
  /** In JSON, and within brackets in YAML. */
  readonly isInBrackets: boolean;
  /** The value of the text before the token. */
  readonly before: unknown;
}

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
      return jsonCursorOf(text, offset, open, token);
    } else {
      take(open, token);
    }
  }
  return jsonCursorOf(text, offset, open, { start: offset, end: offset });
}

function jsonCursorOf(
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

/** A private character: no author types it. */
const mark = '\uF8FF';

/**
 * Reads the text before the offset with a mark at its end, and finds the mark in the value. So it understands indentation, open
 * brackets and keys without a colon, as the reader does.
 */
export function yamlCursor(text: string, offset: number): Cursor | undefined {
  const before = text.slice(0, offset);
  const rest = /^[^\n]*/.exec(text.slice(offset))![0];
  const hasColon = /^[^:#,[\]{}]*:(?:\s|$)/.test(rest);
  for (const quote of ['', '"', "'"] as const) {
    const source = read(`${before}${mark}${quote}${hasColon ? ': ' : ''}`, { language: 'yaml' });
    const found = findMark(source.value, []);
    if (!found) continue;
    const cursor = yamlCursorOf(text, offset, source, found);
    return cursor && { ...cursor, ...extent(cursor, offset, rest, hasColon) };
  }
  return undefined;
}

interface Found {
  readonly part: 'key' | 'value';
  /** The path of the key or value itself. */
  readonly path: Path;
}

function findMark(value: unknown, path: Path): Found | undefined {
  if (typeof value === 'string')
    return value.trimEnd().endsWith(mark) ? { part: 'value', path } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  // The mark is near the end.
  for (const [key, item] of Object.entries(value).toReversed()) {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    if (key.endsWith(mark)) return { part: 'key', path: inner };
    const found = findMark(item, inner);
    if (found) return found;
  }
  return undefined;
}

function yamlCursorOf(
  text: string,
  offset: number,
  source: Source,
  { part, path }: Found,
): Omit<Cursor, 'hasColon' | 'lacksComma'> | undefined {
  const start = source.locate(path, part).start.offset;
  const written = text.slice(start, offset);
  // Block scalars and strings of several lines are prose.
  if (written.includes('\n') || start > offset) return undefined;
  const quote = written.startsWith('"') ? '"' : written.startsWith("'") ? "'" : '';
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const container = path.slice(0, -1);
  const isInBrackets =
    path.length > 0 && /[[{]/.test(source.text[source.locate(container).start.offset] ?? '');
  return {
    part,
    path: part === 'key' ? container : path,
    token: { start, end: offset },
    quote,
    typed: written.slice(quote.length),
    mayBeKey: part === 'value' && quote === '' && !isInBrackets && /^[\s-]*$/.test(line),
    isInBrackets,
    before: withoutMark(source.value, path),
  };
}

/** The end of the token, and what follows it. */
function extent(
  { token, quote, part, isInBrackets }: Pick<Cursor, 'token' | 'quote' | 'part' | 'isInBrackets'>,
  offset: number,
  rest: string,
  hasColon: boolean,
): Pick<Cursor, 'token' | 'hasColon' | 'lacksComma'> {
  const pattern =
    quote !== ''
      ? new RegExp(`^[^${quote}]*${quote}?`)
      : part === 'key' && hasColon
        ? /^[^:]*/
        : isInBrackets
          ? /^[^,\]}#]*/
          : /^(?:[^#]|(?<!\s)#)*/;
  const own = pattern.exec(rest)![0].trimEnd();
  return { token: { start: token.start, end: offset + own.length }, hasColon, lacksComma: false };
}

/** @param path of the mark. The value is the reader's own copy, so it is changed in place. */
function withoutMark(value: unknown, path: Path): unknown {
  const step = path.at(-1);
  if (step === undefined) return undefined;
  let holder = value;
  for (const each of path.slice(0, -1)) holder = (holder as Record<string, unknown>)[each];
  if (Array.isArray(holder)) holder.pop();
  else if (isRecord(holder)) delete holder[step];
  return value;
}
