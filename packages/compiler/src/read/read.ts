import { readYaml } from '#read-yaml';
import type { Diagnostic, Range } from '../diagnostic.ts';
import type { Path } from '../json.ts';
import { Findings } from './findings.ts';
import { readJson } from './json.ts';
import { type Positions, positionsOf } from './positions.ts';
import { printNumber, tooLarge } from './problems.ts';
import { maxLength, maxYamlLength, type Source, withoutControlCharacters } from './source.ts';
import { noContent, type ReadContent } from './value-locations.ts';

export type Language = 'json' | 'yaml';

export interface ReadOptions {
  /** When absent, the file name decides, or else the beginning of the text. */
  readonly language?: Language;
  readonly fileName?: string;
  /** In UTF-16 units. A longer text is refused unread. Default: 5,000,000 for JSON and 1,000,000 for YAML. */
  readonly maxLength?: number;
  /**
   * Reads the syntax of deployment tools: `${name}` outside of quotes becomes a string, and a tag of CloudFormation becomes an
   * object: `!GetAtt Orders.Arn` is `{ "Fn::GetAtt": "Orders.Arn" }`. Default: false, both are errors.
   */
  readonly placeholders?: boolean;
}

/** Reads a text as JSON or YAML. Never throws: all problems of the text are in the diagnostics. */
export function read(text: string, options: ReadOptions = {}): Source {
  const positions = positionsOf(text);
  const findings = new Findings();
  const { value, locations } = contentOf(text, options, findings, positions);
  return {
    text,
    value,
    diagnostics: findings.diagnostics(positions, (offset) => locations.pathAt(offset)),
    locate: (path, part = 'value') =>
      positions.range(locations.locate(path, part) ?? { start: 0, end: 0 }),
  };
}

function contentOf(
  text: string,
  options: ReadOptions,
  findings: Findings,
  positions: Positions,
): ReadContent {
  const language = options.language ?? languageOf(text, options.fileName);
  const limit = options.maxLength ?? (language === 'yaml' ? maxYamlLength : maxLength);
  if (text.length > limit) {
    const isYamlLimit = language === 'yaml' && options.maxLength === undefined;
    const hint = isYamlLimit
      ? `As JSON, up to ${printNumber(maxLength)} are read.`
      : 'Split the definition into several.';
    findings.add(tooLarge(printNumber(text.length), limit, 'characters', hint), {
      start: 0,
      end: 0,
    });
    return noContent();
  }
  const clean = withoutControlCharacters(text, findings);
  if (clean === undefined) return noContent();
  return language === 'json'
    ? readJson(clean, findings, options)
    : readYaml(clean, findings, positions, options);
}

/** The language of a text, by its file name or else by its beginning. */
export function languageOf(text: string, fileName = ''): Language {
  return languageOfFile(fileName) ?? languageOfText(text);
}

function languageOfFile(name: string): Language | undefined {
  if (/\.jsonc?$/i.test(name)) return 'json';
  if (/\.ya?ml$/i.test(name)) return 'yaml';
  return undefined;
}

/** Reads YAML in braces as JSON, as most authors mean it. A file name such as `a.yaml` overrules this. */
function languageOfText(text: string): Language {
  return /^\uFEFF?[ \t\r\n]*(?:[{["]|\/\/|\/\*)/.test(text) ? 'json' : 'yaml';
}

/** A string that is written inside a file, perhaps in pieces. `offsets` has the place of each character, and of the end. */
export interface LocatedText {
  readonly text: string;
  readonly offsets: Int32Array;
}

/** The string at a path of a file. */
export function locatedText(file: Source, path: Path): LocatedText | undefined {
  const text = valueAt(file.value, path);
  if (typeof text !== 'string') return undefined;
  const { start, end } = file.locate(path);
  const span = { start: start.offset, end: end.offset };
  return { text, offsets: scalarOffsets(file.text, span, text) };
}

/** A string that replaces a part of a file, such as a placeholder for a function: all of it is at one place. */
export function textAt(text: string, offset: number): LocatedText {
  return { text, offsets: new Int32Array(text.length + 1).fill(offset) };
}

export function sliceText(
  { text, offsets }: LocatedText,
  start: number,
  end = text.length,
): LocatedText {
  return { text: text.slice(start, end), offsets: offsets.slice(start, end + 1) };
}

export function joinTexts(parts: readonly LocatedText[]): LocatedText {
  const text = parts.map((part) => part.text).join('');
  const offsets = new Int32Array(text.length + 1);
  let length = 0;
  for (const part of parts) {
    offsets.set(part.offsets, length);
    length += part.text.length;
  }
  return { text, offsets };
}

/** Reads a definition that is a string inside a file. Its findings and places are those of the file. */
export function readLocatedText(file: Source, { text, offsets }: LocatedText): Source {
  const inner = read(text, { placeholders: true });
  const positions = positionsOf(file.text);
  const outer = ({ start, end }: Range): Range => {
    const from = offsets[start.offset] ?? 0;
    // A part ends directly after its last character; its next character may be elsewhere.
    const last = end.offset > start.offset ? (offsets[end.offset - 1] ?? from) + 1 : from;
    return positions.range({ start: from, end: Math.max(from, last) });
  };
  const placed = (diagnostic: Diagnostic): Diagnostic => ({
    ...diagnostic,
    range: outer(diagnostic.range),
    ...(diagnostic.related && {
      related: diagnostic.related.map((place) => ({ ...place, range: outer(place.range) })),
    }),
  });
  return {
    text: file.text,
    value: inner.value,
    diagnostics: inner.diagnostics.map(placed),
    locate: (path, part) => outer(inner.locate(path, part)),
  };
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (part, step) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, step)
        ? (part as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/**
 * The offsets at which the characters of a text are written in a JSON or YAML file. A diagnostic inside such a text then
 * points at the file.
 *
 * @param file the whole file
 * @param span where the scalar is written, with its quotes or the header of its block
 * @param text the text as read
 * @returns an offset for each character, and one for the end
 */
function scalarOffsets(
  file: string,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
): Int32Array {
  const offsets = new Int32Array(text.length + 1);
  const quote = file[start] === '"' || file[start] === "'" ? file[start] : undefined;
  let at = quote === undefined ? behindHeader(file, start, end) : start + 1;
  let index = 0;
  while (index < text.length && at < end) {
    const length = quote === '"' && file[at] === '\\' ? escapeLength(file, at) : 0;
    if (length < 0) {
      // A backslash at the end of a line continues the string without a character of its own.
      at += -length;
    } else if (length > 0) {
      offsets[index] = at;
      // Eight hexadecimal digits can be two UTF-16 units.
      if (length > 6 && isLowSurrogate(text, index + 1)) offsets[++index] = at;
      at += length;
      index += 1;
    } else if (file[at] === text[index] || (isBlank(file[at]) && isBlank(text[index]))) {
      offsets[index] = at;
      at += quote === "'" && file[at] === "'" ? 2 : 1;
      index += 1;
    } else if (isBlank(text[index]) && !isBlank(file[at])) {
      // A folded line has fewer blanks in the file than in the text when empty lines count.
      offsets[index] = at;
      index += 1;
    } else {
      at += 1;
    }
  }
  offsets.fill(Math.min(at, end), index);
  return offsets;
}

/** The first line of a block has its header: `|-`, and may have a comment. */
function behindHeader(file: string, start: number, end: number): number {
  if (file[start] !== '|' && file[start] !== '>') return start;
  const line = file.indexOf('\n', start);
  return line < 0 || line >= end ? end : line + 1;
}

/** The length of an escape; negative for an escape without a character. */
function escapeLength(file: string, at: number): number {
  const kind = file[at + 1];
  if (kind === 'u') return 6;
  if (kind === 'x') return 4;
  if (kind === 'U') return 10;
  if (kind === '\n') return -2;
  return kind === '\r' ? -3 : 2;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc_00 && code <= 0xdf_ff;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
