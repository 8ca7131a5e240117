import type { Diagnostic, Position, Range, Severity } from '../diagnostic.ts';
import { printPath } from '../json.ts';
import { counted } from '../words.ts';

/**
 * Makes text of a definition safe for terminals and logs. Replaces characters that would move the cursor, change colours, break a
 * line or reverse the reading direction with visible ones.
 */
export function visible(text: string): string {
  return text.replace(hidden, standIn);
}

/** Control characters, line separators, reading directions, invisible format characters, and halves of characters. */
const hidden =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u061C\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

function standIn(character: string): string {
  const code = character.codePointAt(0)!;
  // Unicode has a picture of each ASCII control character: ␛ for escape, ␊ for a line feed.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into what a reader sees as its characters. */
function graphemesIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** East Asian characters and emoji, which take two columns of a terminal. */
const twoColumns =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji}\uFE0F/u;

/** The number of terminal columns that a visible text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesIn(text)) width += columnsOf(grapheme);
  return width;
}

function columnsOf(grapheme: string): number {
  if (twoColumns.test(grapheme)) return 2;
  return /^[\p{M}\u200C\u200D]+$/u.test(grapheme) ? 0 : 1;
}

/** As much of a text as fits into some columns of a terminal, from its start or from its end. */
export function partWithin(text: string, columns: number, keep: 'start' | 'end' = 'start'): string {
  if (widthOf(text) <= columns) return text;
  const parts = graphemesIn(text);
  if (keep === 'end') parts.reverse();
  const kept: string[] = [];
  let width = 0;
  for (const part of parts) {
    width += columnsOf(part);
    if (width > columns) break;
    kept.push(part);
  }
  return (keep === 'end' ? kept.toReversed() : kept).join('');
}

const tab = '  ';

/** A line of the source as shown, and the position of its marks in columns. */
interface Excerpt {
  readonly text: string;
  readonly indent: number;
  readonly length: number;
}

/**
 * The line on which a range starts, cut to `width` columns around the range, with `…` for omitted parts. A range over several
 * lines is marked to the end of the first line. An empty range has one mark.
 */
function excerptOf(source: string, range: Range, width: number): Excerpt {
  const start = Math.min(range.start.offset, source.length);
  const lineStart = Math.max(0, start - (range.start.column - 1));
  // Reads only as much of the line as fits: a minified definition is one long line.
  const from = Math.max(lineStart, start - width);
  const rest = source.slice(start, start + width).split(/[\r\n]/, 1)[0]!;
  const marked = rest.slice(0, Math.max(0, range.end.offset - start));
  return cutAround(
    shown(source.slice(from, start)),
    shown(marked),
    shown(rest.slice(marked.length)),
    width,
    {
      before: from > lineStart,
      after: rest.length === width,
    },
  );
}

function cutAround(
  before: string,
  marked: string,
  after: string,
  width: number,
  more: { before: boolean; after: boolean },
): Excerpt {
  const whole = widthOf(before + marked + after);
  if (whole <= width && !more.before && !more.after) return excerpt(before, marked, after);
  // The marked part has priority, then the text before it, then the text after it.
  const shownMarked = partWithin(marked, width - 2);
  const room = width - widthOf(shownMarked) - 2;
  const shownBefore = partWithin(
    before,
    Math.max(Math.floor(room / 2), room - widthOf(after)),
    'end',
  );
  const shownAfter = partWithin(after, room - widthOf(shownBefore));
  const cutBefore = more.before || shownBefore !== before;
  const cutAfter = more.after || shownMarked !== marked || shownAfter !== after;
  return excerpt(
    (cutBefore ? '…' : '') + shownBefore,
    shownMarked,
    (shownMarked === marked ? shownAfter : '') + (cutAfter ? '…' : ''),
  );
}

function excerpt(before: string, marked: string, after: string): Excerpt {
  return {
    text: (before + marked + after).trimEnd(),
    indent: widthOf(before),
    length: Math.max(1, widthOf(marked)),
  };
}

function shown(text: string): string {
  return visible(text.replaceAll('\t', tab));
}

interface PrettyOptions {
  /** Colour for a terminal. */
  readonly colour?: boolean;
  /** Columns of a line. */
  readonly width?: number;
}

const usualWidth = 85;
const narrowest = 40;

/**
 * Prints findings for people: each with its location, its line and its hint, and a count at the end.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pya\nStates: { Pay: { Type: Succeed } }';
 * const printed = printPretty(check(workflow).diagnostics, { text: workflow, fileName: 'pay.asl.yaml' });
 * console.log(printed.includes('Did you mean "Pay"?')); // → true
 * ```
 */
export function printPretty(
  diagnostics: readonly Diagnostic[],
  source: { readonly text: string; readonly fileName: string },
  options: PrettyOptions = {},
): string {
  const paint = options.colour ? painted : (text: string) => text;
  const width = Math.max(narrowest, options.width ?? usualWidth);
  const name = visible(source.fileName);
  const findings = diagnostics.map((diagnostic) =>
    printOne(diagnostic, source.text, name, width, paint),
  );
  return [...findings, `${summary(diagnostics, name, paint)}\n`].join('\n');
}

function printOne(
  diagnostic: Diagnostic,
  text: string,
  name: string,
  width: number,
  paint: Paint,
): string {
  const { severity, code, range, path, message, hint, related = [] } = diagnostic;
  const at = place(name, range.start);
  const gap = Math.max(2, width - widthOf(`${severity} ${visible(code)}${at}`));
  const way = visible(printPath(path));
  const lines = [
    `${paint(severity, severity)} ${paint(visible(code), 'strong')}${' '.repeat(gap)}${paint(at, 'quiet')}`,
    ...(way === '' ? [] : [`  ${paint(way, 'quiet')}`]),
    `  ${visible(message)}`,
    ...printExcerpt(diagnostic, text, width, paint),
    ...(hint === undefined ? [] : [`  ${paint('hint:', 'hint')} ${visible(hint)}`]),
    ...related.map(
      (other) => `  ${paint(place(name, other.range.start), 'quiet')} ${visible(other.message)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** An empty text has no line to show. */
function printExcerpt(
  { range, severity }: Diagnostic,
  text: string,
  width: number,
  paint: Paint,
): string[] {
  if (text.trim() === '') return [];
  const number = String(range.start.line).padStart(4);
  const gutter = `  ${number} | `;
  const marked = excerptOf(text, range, width - gutter.length);
  const marks = paint('^'.repeat(marked.length), severity);
  return [
    `  ${paint(`${number} |`, 'quiet')} ${marked.text}`.trimEnd(),
    `  ${paint(`${' '.repeat(number.length)} |`, 'quiet')} ${' '.repeat(marked.indent)}${marks}`,
  ];
}

function place(name: string, { line, column }: Position): string {
  return `${name}:${line}:${column}`;
}

/** `2 errors, 1 warning in intake.plan.json` */
function summary(diagnostics: readonly Diagnostic[], name: string, paint: Paint): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => ({
      severity,
      count: diagnostics.filter((one) => one.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) =>
      paint(counted(count, severity === 'info' ? 'note' : severity), severity),
    );
  return counts.length === 0 ? `${name}: no problems` : `${counts.join(', ')} in ${name}`;
}

type Style = Severity | 'strong' | 'quiet' | 'hint';
type Paint = (text: string, style: Style) => string;

const codes: Record<Style, string> = {
  error: '1;31',
  warning: '1;33',
  info: '1;34',
  strong: '1',
  quiet: '2',
  hint: '36',
};

function painted(text: string, style: Style): string {
  return `\u001B[${codes[style]}m${text}\u001B[0m`;
}
