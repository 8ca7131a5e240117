import { isRecord } from '../json.ts';
import type { Path } from '../path.ts';
import { read } from '../read/read.ts';
import type { Source } from '../read/source.ts';
import type { Cursor } from './cursor.ts';

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
    const cursor = cursorOf(text, offset, source, found);
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

function cursorOf(
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
