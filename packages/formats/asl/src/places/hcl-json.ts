import { isRecord, type Json } from '@dramaturg/compiler';
import { hasPlaceholder, type LocatedText } from '@dramaturg/compiler/format';
import { type HclToken, placeholderOf, templateText, TextWriter } from './hcl-template.ts';

/** The most encodings in one another: each doubles the escapes of quotes. */
const encodingsMost = 3;

/** Deeper than a definition may be, so that the reader of the JSON reports it. */
const deepest = 110;

/** The meanings of the names in an expression. */
export interface HclNames {
  /** The expressions of `locals`, by name. */
  readonly locals: ReadonlyMap<string, readonly HclToken[]>;
  /** Known values, such as `var.stage`. */
  readonly values: Readonly<Record<string, Json>>;
  /** The variables of the loops around the expression. */
  readonly variables: Readonly<Record<string, Json>>;
  /** The names of `locals` that are being evaluated: a name has no meaning inside its own value. */
  readonly open: ReadonlySet<string>;
  /** The units that loops, `merge` and locals may still write. */
  readonly budget: { left: number };
}

export const noNames: HclNames = {
  locals: new Map(),
  values: {},
  variables: {},
  open: new Set(),
  budget: { left: 0 },
};

/** The fields or items of an evaluated expression, each with its writer. */
type Parts = ReadonlyMap<string, Write> | readonly Write[];
type Write = (writer: TextWriter) => void;

/** Characters of a repeated token that cost as much as a field. */
const charactersPerUnit = 64;

/** Functions that return their list or map. */
const conversions = ['tolist', 'toset', 'tomap'];

/**
 * The JSON that `jsonencode` makes of an expression of Terraform. An expression that only Terraform can compute becomes a
 * placeholder named after it. Text that is not HCL is copied, so that the reader of the JSON reports it at its place.
 *
 * Spec: HCL Native Syntax Specification, "Expressions"
 */
export function hclJson(
  file: string,
  tokens: readonly HclToken[],
  names: HclNames = noNames,
): LocatedText {
  const writer = new TextWriter();
  new HclExpression(file, tokens, writer, 0, names).writeValue(0, tokens.length, 0);
  return writer.located();
}

const closingSigns: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

/** Ranges are indexes of tokens; their ends are exclusive. */
class HclExpression {
  readonly #file: string;
  readonly #tokens: readonly HclToken[];
  readonly #writer: TextWriter;
  readonly #encodings: number;
  readonly #names: HclNames;
  /** The index of the token that closes a bracket, by the index of the bracket. */
  readonly #closing: ReadonlyMap<number, number>;

  /** @param encodings how many calls of `jsonencode` are around the expression */
  constructor(
    file: string,
    tokens: readonly HclToken[],
    writer: TextWriter,
    encodings: number,
    names: HclNames,
  ) {
    this.#encodings = encodings;
    this.#names = names;
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
    const chosen = depth < deepest ? this.#chosen(from, to) : undefined;
    if (chosen) return this.writeValue(...chosen, depth + 1);
    const isBracketed = this.#closing.get(from) === to - 1;
    const sign = this.#sign(from);
    const isFor = this.#isFor(from);
    const parts = depth < deepest ? this.#partsOf(from, to, depth) : undefined;
    if (parts) this.#writeParts(parts, first);
    else if (to === from + 1) this.#writeToken(first);
    else if (sign === '-' && to === from + 2 && this.#tokens[from + 1]!.kind === 'number') {
      this.#copy(from, to);
    } else if (sign === '(' && isBracketed) this.writeValue(from + 1, to - 1, depth);
    else if (depth < deepest && sign === '{' && !isFor && (isBracketed || !this.#closing.has(from)))
      this.#writeList(from, to, depth, true);
    else if (depth < deepest && sign === '[' && !isFor && (isBracketed || !this.#closing.has(from)))
      this.#writeList(from, to, depth, false);
    else if (this.#isCall(conversions, from, to)) this.writeValue(from + 2, to - 1, depth);
    else if (this.#isEncoding(from, to)) this.#writeEncoded(from + 2, to - 1, depth + 1);
    else this.#writeSymbol(from, to);
  }

  /** Writes a string that contains JSON. */
  #writeEncoded(from: number, to: number, depth: number): void {
    const inner = new TextWriter();
    const tokens = this.#tokens.slice(from, to);
    const expression = new HclExpression(
      this.#file,
      tokens,
      inner,
      this.#encodings + 1,
      this.#names,
    );
    expression.writeValue(0, tokens.length, depth);
    const [first, last] = [this.#tokens[from - 2]!, this.#tokens[to]!];
    this.#writeText(inner.located(), first.start, last.end);
  }

  #isEncoding(from: number, to: number): boolean {
    return this.#isCall(['jsonencode'], from, to) && this.#encodings < encodingsMost;
  }

  #isCall(functions: readonly string[], from: number, to: number): boolean {
    return functions.includes(this.#written(from)) && this.#closing.get(from + 1) === to - 1;
  }

  #isFor(from: number): boolean {
    return this.#written(from + 1) === 'for' && !'=:'.includes(this.#sign(from + 2) || ' ');
  }

  /** The result of a loop, of `merge` or of the name of a collection; undefined if unknown, and for literals. */
  #partsOf(from: number, to: number, depth: number): Parts | undefined {
    const isBracketed = this.#closing.get(from) === to - 1;
    if (isBracketed && '{['.includes(this.#sign(from) || ' ') && this.#isFor(from))
      return this.#partsOfLoop(from, to, depth);
    if (this.#isCall(['merge'], from, to)) return this.#fieldsOf(from, to, depth);
    if (this.#tokens[from]?.kind !== 'word') return undefined;
    const part = this.#partOfLocal(from, to);
    if (part !== undefined || to > from + 1) return this.#partsIn(part, from);
    return this.#partsIn(this.#variable(this.#written(from)), from);
  }

  #partsIn(value: Json | undefined, from: number): Parts | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const writes = Object.entries(value).map(([key, item]): [string, Write] => [
      key,
      (writer) => this.#copyOf(item, from, writer),
    ]);
    return Array.isArray(value) ? writes.map(([, write]) => write) : new Map(writes);
  }

  /** `local.definitions.orders`, or `local.definitions["orders"]`. */
  #partOfLocal(from: number, to: number): Json | undefined {
    const [root = '', name = '', ...fields] = this.#written(from).split('.');
    if (root !== 'local') return undefined;
    if (this.#sign(from + 1) === '[' && this.#closing.get(from + 1) === to - 1) {
      const index = this.#known(from + 2, to - 1);
      if (typeof index !== 'string' && typeof index !== 'number') return undefined;
      fields.push(String(index));
    } else if (to > from + 1) return undefined;
    const tokens = fields.length > 0 ? this.#names.locals.get(name) : undefined;
    if (!tokens || this.#names.open.has(name) || !this.#take(1)) return undefined;
    const names = { ...this.#names, variables: {}, open: new Set([...this.#names.open, name]) };
    return fields.reduce<Json | undefined>(
      (value, field) =>
        Object(value) === value && Object.hasOwn(value as object, field)
          ? (value as Record<string, Json>)[field]
          : undefined,
      new HclExpression(this.#file, tokens, this.#writer, this.#encodings, names).#evaluated(
        0,
        tokens.length,
      ),
    );
  }

  /** The expression of a local name that the file defines. */
  #local(from: number): HclExpression | undefined {
    const name = /^local\.([\w-]+)$/.exec(this.#written(from))?.[1] ?? '';
    const { locals, values, open } = this.#names;
    const tokens = locals.get(name);
    if (!tokens || open.has(name) || Object.hasOwn(values, `local.${name}`)) return undefined;
    if (!this.#take(1)) return undefined;
    const names = { ...this.#names, variables: {}, open: new Set([...open, name]) };
    return new HclExpression(this.#file, tokens, this.#writer, this.#encodings, names);
  }

  /** Counts repeated output. @returns whether it is within the budget */
  #take(units: number): boolean {
    this.#names.budget.left -= units;
    return this.#names.budget.left >= 0;
  }

  /** The fields of an object: of a literal, of `merge`, of a loop, or of a name. */
  #fieldsOf(from: number, to: number, depth: number): ReadonlyMap<string, Write> | undefined {
    const chosen = depth < deepest ? this.#chosen(from, to) : undefined;
    if (chosen) return this.#fieldsOf(...chosen, depth + 1);
    const fields = new Map<string, Write>();
    const isMerge = this.#isCall(['merge'], from, to);
    if (!isMerge && (this.#sign(from) !== '{' || this.#isFor(from))) {
      if (this.#sign(from) === '(' && this.#closing.get(from) === to - 1)
        return this.#fieldsOf(from + 1, to - 1, depth);
      const name = to === from + 1 ? this.#written(from) : '';
      const value = Object.hasOwn(this.#names.values, name) ? this.#names.values[name] : undefined;
      const local = name === '' || depth >= deepest ? undefined : this.#local(from);
      if (local) return local.#fieldsOf(0, local.#tokens.length, depth + 1);
      const parts = this.#partsIn(value, from) ?? this.#partsOf(from, to, depth);
      return parts instanceof Map ? parts : undefined;
    }
    if (!isMerge && this.#closing.get(from) !== to - 1) return undefined;
    for (let index = isMerge ? from + 2 : from + 1; index < to - 1;) {
      const end = this.#endOf(index, to - 1, !isMerge);
      const keyEnd = (this.#closing.get(index) ?? index) + 1;
      const given: ReadonlyMap<string, Write> | undefined = isMerge
        ? this.#fieldsOf(index, end, depth + 1)
        : this.#field(index, keyEnd, end, depth);
      if (!given || !this.#take(1 + given.size)) return undefined;
      for (const [key, write] of given) fields.set(key, write);
      index = Math.max(this.#sign(end) === ',' ? end + 1 : end, index + 1);
    }
    return fields;
  }

  #field(from: number, keyEnd: number, end: number, depth: number) {
    if (!'=:'.includes(this.#sign(keyEnd) || ' ')) return undefined;
    const isName = this.#tokens[from]!.kind === 'word' && keyEnd === from + 1;
    const key = isName ? this.#written(from) : this.#known(from, keyEnd);
    if (typeof key === 'object' || key === undefined) return undefined;
    return new Map([[String(key), this.#writeOf(keyEnd + 1, end, depth)]]);
  }

  /** `[for x in list : x]` and `{ for key, x in map : key => x if x != "" }`. */
  #partsOfLoop(from: number, to: number, depth: number): Parts | undefined {
    const isObject = this.#sign(from) === '{';
    const last = to - 1;
    const colon = this.#find(from + 2, last, (index) => this.#sign(index) === ':');
    const condition = this.#find(colon + 1, last, (index) => this.#written(index) === 'if');
    const arrow = this.#find(
      colon + 1,
      condition,
      (index) => this.#sign(index) === '=' && this.#sign(index + 1) === '>',
    );
    const hasIndex = this.#sign(from + 3) === ',';
    const start = from + (hasIndex ? 6 : 4);
    const isWhole =
      this.#written(start - 1) === 'in' && colon < last && isObject === arrow < condition;
    const collection = isWhole ? this.#evaluated(start, colon) : undefined;
    if (typeof collection !== 'object' || collection === null) return undefined;
    const [first, second] = [this.#written(from + 2), this.#written(from + 4)];
    const fields: [string, Write][] = [];
    for (const [key, item] of Object.entries(collection)) {
      if (!this.#take(1)) return undefined;
      const index = Array.isArray(collection) ? Number(key) : key;
      const own = hasIndex ? { [first]: index, [second]: item } : { [first]: item };
      const inner = this.#within({ ...this.#names.variables, ...own });
      const isChosen = condition === last || inner.#holds(condition + 1, last);
      if (typeof isChosen !== 'boolean') return undefined;
      if (!isChosen) continue;
      const name = isObject ? inner.#known(colon + 1, arrow) : key;
      const isGrouped = this.#sign(condition - 1) === '.';
      if (typeof name === 'object' || name === undefined || isGrouped) return undefined;
      fields.push([
        String(name),
        inner.#writeOf(isObject ? arrow + 2 : colon + 1, condition, depth),
      ]);
    }
    return isObject ? new Map(fields) : fields.map(([, write]) => write);
  }

  /** The first token outside of brackets that fits; `end` without one. */
  #find(start: number, end: number, fits: (index: number) => boolean): number {
    let index = start;
    while (index < end && !fits(index)) index = (this.#closing.get(index) ?? index) + 1;
    return Math.min(index, end);
  }

  /** The part of `condition ? one : other` that counts; undefined if unknown, and for other expressions. */
  #chosen(from: number, to: number): readonly [from: number, to: number] | undefined {
    const mark = this.#find(from, to, (index) => this.#sign(index) === '?');
    let inner = 0;
    const colon = this.#find(mark + 1, to, (index) => {
      if (this.#sign(index) === '?') inner += 1;
      return this.#sign(index) === ':' && (inner -= 1) < 0;
    });
    const holds = mark < to && colon < to ? this.#holds(from, mark) : undefined;
    if (typeof holds !== 'boolean') return undefined;
    return holds ? [mark + 1, colon] : [colon + 1, to];
  }

  #holds(from: number, to: number): Json | undefined {
    const index = this.#find(
      from,
      to,
      (at) => '=!'.includes(this.#sign(at) || ' ') && this.#sign(at + 1) === '=',
    );
    if (index === to) return this.#known(from, to);
    const [left, right] = [this.#known(from, index), this.#known(index + 2, to)];
    if (left === undefined || right === undefined) return undefined;
    return (left === right) === (this.#sign(index) === '=');
  }

  #within(variables: HclNames['variables']): HclExpression {
    const names = { ...this.#names, variables };
    return new HclExpression(this.#file, this.#tokens, this.#writer, this.#encodings, names);
  }

  #writeOf(from: number, to: number, depth: number): Write {
    const tokens = this.#tokens.slice(from, to);
    return (writer) =>
      new HclExpression(this.#file, tokens, writer, this.#encodings, this.#names).writeValue(
        0,
        tokens.length,
        depth + 1,
      );
  }

  /** The value of an expression, with placeholders for unknown parts. */
  #evaluated(from: number, to: number): Json | undefined {
    const writer = new TextWriter();
    const local = to === from + 1 ? this.#local(from) : undefined;
    if (local) local.#writeOf(0, local.#tokens.length, 0)(writer);
    else this.#writeOf(from, to, 0)(writer);
    try {
      const value = JSON.parse(writer.located().text) as Json;
      const name = typeof value === 'string' ? /^\$\{([^{}]+)\}$/.exec(value)?.[1] : undefined;
      return name !== undefined && Object.hasOwn(this.#names.values, name)
        ? this.#names.values[name]
        : value;
    } catch {
      return undefined;
    }
  }

  /** The value of an expression without unknown parts. */
  #known(from: number, to: number): Json | undefined {
    const value = this.#evaluated(from, to);
    return value === undefined || hasPlaceholder(JSON.stringify(value)) ? undefined : value;
  }

  /** The value of a variable of a loop, or of a field of it: `step.name`. */
  #variable(path: string): Json | undefined {
    const [name = '', ...fields] = path.split('.');
    if (!Object.hasOwn(this.#names.variables, name)) return undefined;
    return fields.reduce<Json | undefined>(
      (value, field) => (isRecord(value) && Object.hasOwn(value, field) ? value[field] : undefined),
      this.#names.variables[name],
    );
  }

  #writeParts(parts: Parts, { start, end }: HclToken): void {
    const isList = Array.isArray(parts);
    this.#writer.write(isList ? '[' : '{', start, end);
    const entries: (readonly [string | undefined, Write])[] = isList
      ? (parts as readonly Write[]).map((write) => [undefined, write])
      : [...(parts as ReadonlyMap<string, Write>)];
    for (const [index, [key, write]] of entries.entries()) {
      const name = key === undefined ? '' : `${JSON.stringify(key)}:`;
      this.#writer.write(`${index > 0 ? ',' : ''}${name}`, start, end);
      write(this.#writer);
    }
    this.#writer.write(isList ? ']' : '}', start, end);
  }

  #copyOf(value: Json, at: number, writer: TextWriter): void {
    const { start, end } = this.#tokens[at]!;
    writer.write(JSON.stringify(value), start, end);
  }

  /** Writes an object or a list, closed or not. */
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

  /** The end of the expression that begins at a token: a comma, the end of its line in an object, or `close`. */
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
    const { variables, open } = this.#names;
    const isRepeated = open.size > 0 || Object.keys(variables).length > 0;
    const variable = kind === 'word' ? this.#variable(written) : undefined;
    const length = variable === undefined ? written.length : JSON.stringify(variable).length;
    if (isRepeated && !this.#take(1 + length / charactersPerUnit)) {
      this.#writer.write(JSON.stringify('${too_large}'), start, end);
      return;
    }
    if (variable !== undefined) this.#writer.write(JSON.stringify(variable), start, end);
    else if (kind === 'text' || kind === 'heredoc')
      this.#writeText(
        templateText(this.#file, token, (path) => this.#variable(path)),
        start,
        end,
      );
    else if (kind !== 'word' || ['true', 'false', 'null'].includes(written))
      this.#writer.write(written, start, end);
    else this.#writer.write(JSON.stringify(placeholderOf(written)), start, end);
  }

  /** Writes a JSON string, each character with its place, for the part of the file from `start` to `end`. */
  #writeText({ text, offsets }: LocatedText, start: number, end: number): void {
    this.#writer.write('"', start);
    for (let index = 0; index < text.length; index += 1)
      this.#writer.write(JSON.stringify(text[index]).slice(1, -1), offsets[index]!);
    this.#writer.write('"', end - 1, end);
  }

  /** Writes a placeholder for an expression that only Terraform can compute. */
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
