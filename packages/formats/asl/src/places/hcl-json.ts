import type { LocatedText } from '@dramaturg/compiler/format';
import { placeholderOf, TextWriter, templateText } from './hcl-template.ts';
import type { HclToken } from './hcl-tokens.ts';

/** Each encoding in another one doubles the signs that escape quotes. */
const encodingsMost = 3;

/** Deeper than a definition may be, so that the reader of the JSON reports it. */
const deepest = 110;

/**
 * The JSON that `jsonencode` makes of an expression of Terraform. What only Terraform can compute becomes a placeholder with
 * the expression as its name. What is not written as HCL is copied, so that the reader of the JSON reports it at its place.
 *
 * Spec: HCL Native Syntax Specification, "Expressions"
 */
export function hclJson(file: string, tokens: readonly HclToken[]): LocatedText {
  const writer = new TextWriter();
  new HclExpression(file, tokens, writer, 0).writeValue(0, tokens.length, 0);
  return writer.located();
}

const closingSigns: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

/** Ranges are indexes of tokens; their ends are exclusive. */
class HclExpression {
  readonly #file: string;
  readonly #tokens: readonly HclToken[];
  readonly #writer: TextWriter;
  readonly #encodings: number;
  /** The index of the token that closes a bracket, by the index of the bracket. */
  readonly #closing: ReadonlyMap<number, number>;

  /** @param encodings how many calls of `jsonencode` are around the expression */
  constructor(file: string, tokens: readonly HclToken[], writer: TextWriter, encodings: number) {
    this.#encodings = encodings;
    this.#file = file;
    this.#tokens = tokens;
    this.#writer = writer;
    this.#closing = this.#brackets();
  }

  #brackets(): Map<number, number> {
    const closing = new Map<number, number>();
    const open: number[] = [];
    for (let index = 0; index < this.#tokens.length; index += 1) {
      const sign = this.#sign(index);
      if (Object.hasOwn(closingSigns, sign)) open.push(index);
      else if (sign !== '' && sign === closingSigns[this.#sign(open.at(-1) ?? -1)])
        closing.set(open.pop()!, index);
    }
    return closing;
  }

  #written(index: number): string {
    const token = this.#tokens[index];
    return token ? this.#file.slice(token.start, token.end) : '';
  }

  /** The sign at an index; empty for other tokens. */
  #sign(index: number): string {
    return this.#tokens[index]?.kind === 'sign' ? this.#written(index) : '';
  }

  writeValue(from: number, to: number, depth: number): void {
    const first = this.#tokens[from];
    if (!first || from >= to) return;
    const isBracketed = this.#closing.get(from) === to - 1;
    const sign = this.#sign(from);
    const isFor = this.#written(from + 1) === 'for' && !'=:'.includes(this.#sign(from + 2) || ' ');
    if (to === from + 1) this.#writeToken(first);
    else if (sign === '-' && to === from + 2 && this.#tokens[from + 1]!.kind === 'number') {
      this.#copy(from, to);
    } else if (sign === '(' && isBracketed) this.writeValue(from + 1, to - 1, depth);
    else if (depth < deepest && sign === '{' && !isFor && (isBracketed || !this.#closing.has(from)))
      this.#writeList(from, to, depth, true);
    else if (depth < deepest && sign === '[' && !isFor && (isBracketed || !this.#closing.has(from)))
      this.#writeList(from, to, depth, false);
    else if (this.#isEncoding(from, to)) this.#writeEncoded(from + 2, to - 1, depth + 1);
    else this.#writeSymbol(from, to);
  }

  /** A text with JSON in it. */
  #writeEncoded(from: number, to: number, depth: number): void {
    const inner = new TextWriter();
    const tokens = this.#tokens.slice(from, to);
    const expression = new HclExpression(this.#file, tokens, inner, this.#encodings + 1);
    expression.writeValue(0, tokens.length, depth);
    const [first, last] = [this.#tokens[from - 2]!, this.#tokens[to]!];
    this.#writeText(inner.located(), first.start, last.end);
  }

  #isEncoding(from: number, to: number): boolean {
    const isCall = this.#written(from) === 'jsonencode' && this.#closing.get(from + 1) === to - 1;
    return isCall && this.#encodings < encodingsMost;
  }

  /** An object or a list, which may not be closed. */
  #writeList(from: number, to: number, depth: number, isObject: boolean): void {
    const close = this.#closing.get(from) ?? to;
    this.#copy(from, from + 1);
    let index = from + 1;
    while (index < close) {
      const end = isObject
        ? this.#writeField(index, close, depth + 1)
        : this.#writeItem(index, close, depth + 1);
      // The items of an object may also be separated by lines; a comma at the end is allowed.
      const next = this.#sign(end) === ',' ? end + 1 : end;
      const { start } = this.#tokens[Math.min(end, this.#tokens.length - 1)]!;
      if (next < close) this.#writer.write(',', start);
      index = Math.max(next, index + 1);
    }
    if (close < to) this.#copy(close, close + 1);
  }

  #writeItem(from: number, close: number, depth: number): number {
    const end = this.#endOf(from, close, false);
    this.writeValue(from, end, depth);
    return end;
  }

  /** `key = value` or `key: value`. A key in parentheses is an expression. */
  #writeField(from: number, close: number, depth: number): number {
    const keyEnd = (this.#closing.get(from) ?? from) + 1;
    const sign = this.#sign(keyEnd);
    const isField = sign === '=' || sign === ':';
    const end = this.#endOf(isField ? keyEnd + 1 : from, close, true);
    if (!isField) {
      this.#copy(from, Math.max(end, from + 1));
      return end;
    }
    this.#writeKey(from, keyEnd);
    this.#writer.write(':', this.#tokens[keyEnd]!.start);
    this.writeValue(keyEnd + 1, end, depth);
    return end;
  }

  #writeKey(from: number, to: number): void {
    const token = this.#tokens[from]!;
    if (token.kind === 'text') this.#writeToken(token);
    else if (this.#sign(from) === '(') this.#writeSymbol(from + 1, to - 1);
    else this.#write(JSON.stringify(this.#written(from)), from, to);
  }

  /** The end of the expression that begins at a token: a comma, the end of its line in an object, or the end of what is around. */
  #endOf(from: number, close: number, endsWithLine: boolean): number {
    let index = from;
    while (index < close && this.#sign(index) !== ',') {
      const isNewLine =
        index > from &&
        this.#file.slice(this.#tokens[index - 1]!.end, this.#tokens[index]!.start).includes('\n');
      if (isNewLine && endsWithLine) break;
      index = (this.#closing.get(index) ?? index) + 1;
    }
    return Math.min(index, close);
  }

  #writeToken(token: HclToken): void {
    const { kind, start, end } = token;
    const written = this.#file.slice(start, end);
    if (kind === 'text' || kind === 'heredoc')
      this.#writeText(templateText(this.#file, token), start, end);
    else if (kind !== 'word' || ['true', 'false', 'null'].includes(written))
      this.#writer.write(written, start, end);
    else this.#writer.write(JSON.stringify(placeholderOf(written)), start, end);
  }

  /** A text of JSON, each character with its place, for the part of the file from `start` to `end`. */
  #writeText({ text, offsets }: LocatedText, start: number, end: number): void {
    this.#writer.write('"', start);
    for (let index = 0; index < text.length; index += 1)
      this.#writer.write(JSON.stringify(text[index]).slice(1, -1), offsets[index]!);
    this.#writer.write('"', end - 1, end);
  }

  /** What only Terraform can compute. */
  #writeSymbol(from: number, to: number): void {
    const { start } = this.#tokens[from] ?? { start: 0 };
    const { end } = this.#tokens[to - 1] ?? { end: start };
    if (this.#isExpression(from, to))
      this.#write(JSON.stringify(placeholderOf(this.#file.slice(start, end))), from, to);
    else this.#copy(from, to);
  }

  /** Expressions have no bracket without its partner, and no `=` that is not part of a comparison. */
  #isExpression(from: number, to: number): boolean {
    for (let index = from; index < to; index += 1) {
      const close = this.#closing.get(index);
      if (close !== undefined) index = close;
      else if ('{}[]()'.includes(this.#sign(index) || ' ')) return false;
      else if (this.#sign(index) === '=') {
        if (this.#sign(index + 1) === '=') index += 1;
        else if (!'!<>'.includes(this.#sign(index - 1) || ' ')) return false;
      }
    }
    return from < to;
  }

  #copy(from: number, to: number): void {
    const { start } = this.#tokens[from] ?? { start: 0 };
    const { end } = this.#tokens[to - 1] ?? { end: start };
    this.#writer.write(this.#file.slice(start, end), start, end);
  }

  #write(text: string, from: number, to: number): void {
    const { start } = this.#tokens[from] ?? { start: 0 };
    const { end } = this.#tokens[to - 1] ?? { end: start };
    this.#writer.write(text, start, end);
  }
}
