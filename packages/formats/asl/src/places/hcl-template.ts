import type { Json } from '@dramaturg/compiler';
import type { LocatedText } from '@dramaturg/compiler/format';

/** A word of the language of Terraform. A `heredoc` spans its lines, without the markers. */
export interface HclToken {
  readonly kind: 'word' | 'number' | 'text' | 'heredoc' | 'sign';
  readonly start: number;
  readonly end: number;
  /** The lines of a heredoc lose the indentation that they share. */
  readonly isIndented?: true;
}

/** Reads the words of a file of Terraform. It is total: an unclosed word ends with the text. */
export function* hclTokens(text: string, from = 0): Generator<HclToken> {
  const token =
    /(?<space>\s+|#[^\n]*|\/\/[^\n]*)|(?<comment>\/\*)|<<(?<indented>-)?(?<heredoc>\w+)[ \t]*\r?\n|(?<word>[A-Za-z_][\w.-]*)|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>")|[^]/y;
  token.lastIndex = from;
  let found = token.exec(text);
  while (found) {
    const { space, comment, indented, heredoc, word, number, text: quote } = found.groups ?? {};
    const start = found.index;
    let end = token.lastIndex;
    if (comment !== undefined) {
      const close = text.indexOf('*/', end);
      end = close < 0 ? text.length : close + 2;
    } else if (heredoc !== undefined) {
      const close = heredocEnd(text, end, heredoc);
      yield { kind: 'heredoc', start: end, end: close, ...(indented && { isIndented: true }) };
      end = lineEnd(text, close);
    } else if (quote !== undefined) {
      end = templateEnd(text, end, 'text');
      yield { kind: 'text', start, end };
    } else if (space === undefined) {
      yield { kind: word ? 'word' : number ? 'number' : 'sign', start, end };
    }
    token.lastIndex = end;
    found = token.exec(text);
  }
}

/** The beginning of the line that has only the marker. */
function heredocEnd(text: string, start: number, marker: string): number {
  let line = start;
  while (line < text.length) {
    const end = lineEnd(text, line);
    if (text.slice(line, end).trim() === marker) return line;
    line = end;
  }
  return text.length;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end + 1;
}

/**
 * The end of a string in quotes, or of the expression of `${…}`: after the character that closes it. Strings may have
 * expressions, and expressions strings. An unclosed string ends with its line.
 *
 * @param start after the character that opens it
 */
export function templateEnd(text: string, start: number, kind: 'text' | 'expression'): number {
  const open = [kind];
  for (let offset = start; offset < text.length; offset += 1) {
    const character = text[offset];
    const isOpening = text[offset + 1] === '{' && (character === '$' || character === '%');
    if (open.at(-1) === 'text') {
      if (character === '\\') offset += 1;
      else if (character === '\n') return offset;
      else if (isOpening && text[offset - 1] !== character) open.push('expression');
      else if (character === '"') open.pop();
      // The brace itself is part of what opens an expression.
      if (isOpening) offset += 1;
    } else if (character === '{') open.push('expression');
    else if (character === '"') open.push('text');
    else if (character === '}') open.pop();
    if (open.length === 0) return offset + 1;
  }
  return text.length;
}

/** A string that is written piece by piece, each character with its place in a file. */
export class TextWriter {
  readonly #parts: string[] = [];
  readonly #offsets: number[] = [];
  #end = 0;

  /** Writes a string for the part of the file from `start` to `end`. */
  write(text: string, start: number, end = start + 1): void {
    this.#parts.push(text);
    for (let index = 1; index < text.length; index += 1) this.#offsets.push(start);
    if (text !== '') this.#offsets.push(Math.max(start, end - 1));
    this.#end = end;
  }

  located(): LocatedText {
    return { text: this.#parts.join(''), offsets: Int32Array.from([...this.#offsets, this.#end]) };
  }
}

/**
 * The name of the placeholder for an expression of Terraform: the expression in one line, without the characters that end a
 * placeholder or the JSON string around it.
 */
export function placeholderOf(expression: string): string {
  const name = expression
    .replace(/^\s*~/, '')
    .replace(/~\s*$/, '')
    .trim()
    .replaceAll('"', "'")
    .replaceAll('{', '(')
    .replaceAll('}', ')')
    .replace(/\s+/g, ' ')
    .replaceAll(': ', ':');
  return `\${${/^[A-Za-z_]/.test(name) ? name : `expression ${name}`}}`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The value of a variable; undefined when there is none. */
type Variables = (path: string) => Json | undefined;

/**
 * The text of a heredoc or of a string in quotes. Expressions in it become placeholders, unless they are variables.
 * Spec: HCL, "Template Expressions"
 */
export function templateText(
  file: string,
  token: HclToken,
  variables: Variables = () => undefined,
): LocatedText {
  const isQuoted = token.kind === 'text';
  const isClosed = isQuoted && token.end > token.start + 1 && file[token.end - 1] === '"';
  const start = token.start + (isQuoted ? 1 : 0);
  const end = token.end - (isClosed ? 1 : 0);
  const indentation = token.isIndented ? sharedIndentation(file.slice(start, end)) : 0;
  const writer = new TextWriter();
  let offset = start;
  while (offset < end) {
    const isLineStart = offset === start || file[offset - 1] === '\n';
    if (isLineStart) offset += indentationAt(file, offset, Math.min(end, offset + indentation));
    if (offset < end) offset = writePart(writer, file, offset, end, isQuoted, variables);
  }
  return writer.located();
}

/** Writes a character, an escape or an expression. @returns the offset after it */
function writePart(
  writer: TextWriter,
  file: string,
  offset: number,
  end: number,
  isQuoted: boolean,
  variables: Variables,
): number {
  const character = file[offset]!;
  const two = file.slice(offset, offset + 2);
  if (two === '${' || two === '%{') {
    const close = Math.min(end, templateEnd(file, offset + 2, 'expression'));
    const inner = file.slice(offset + 2, file[close - 1] === '}' ? close - 1 : close);
    const value = variables(inner.trim());
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    writer.write(text ?? placeholderOf(inner), offset, close);
    return close;
  }
  // A doubled sign before a brace is the sign and the brace as text.
  if ((two === '$$' || two === '%%') && file[offset + 2] === '{') {
    writer.write(`${character}{`, offset, offset + 3);
    return offset + 3;
  }
  if (isQuoted && character === '\\') {
    const code = /^\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(file.slice(offset, offset + 10));
    const point = code && Number.parseInt(code[1] ?? code[2]!, 16);
    if (code && point! <= 0x10_ff_ff) {
      writer.write(String.fromCodePoint(point!), offset, offset + code[0].length);
      return offset + code[0].length;
    }
    const next = file[offset + 1] ?? '';
    writer.write(escapes[next] ?? next, offset, offset + 2);
    return offset + 2;
  }
  writer.write(character, offset);
  return offset + 1;
}

/** The blanks at the beginning of a line, up to a limit. */
function indentationAt(file: string, offset: number, limit: number): number {
  let at = offset;
  while (at < limit && (file[at] === ' ' || file[at] === '\t')) at += 1;
  return at - offset;
}

/** The blanks that all lines begin with, empty lines not counted. */
function sharedIndentation(text: string): number {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const counts = lines.map((line) => indentationAt(line, 0, line.length));
  return counts.reduce((least, count) => Math.min(least, count), lines.length === 0 ? 0 : Infinity);
}
