import { DramaturgError } from '@dramaturg/compiler';
import { engines } from '#engines';
import { EnginesNotLoadedError } from '../../engines/engines-not-loaded-error.ts';
import type { LinearRegex } from '../jsonata/linear-regex.ts';

/** A string does not follow its grammar. Caught by the function that parses the string. */
export class ParseError extends DramaturgError<'asl/parse-error'> {
  override readonly name = 'ParseError';

  constructor(message: string) {
    super('asl/parse-error', message);
  }
}

/** Reads a string from its beginning to its end. */
export interface Scanner {
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

export function scannerOf(text: string): Scanner {
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

/**
 * A parsed JSONPath. Spec: states-language.net/spec.html#path, Agent 3 §JSONPath. AWS reads paths like version 2.0 of the
 * library by Jayway, of 2015: there are no functions in paths, and filters compare with symbols only.
 */
export interface DataPath {
  readonly text: string;
  /** `$` is the state's data, `$$` the context object, `$name` a variable. */
  readonly root: string;
  readonly steps: readonly Step[];
  /** The path has one value at most. Any other path gives a list of values. */
  readonly isDefinite: boolean;
}

export type Step =
  | { readonly kind: 'name'; readonly name: string }
  /** `['a', 'b']`: one object with these fields. Only the last step may have this kind. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** A negative index counts from the end in the agent dialect, and leads nowhere in Amazon's. */
  | { readonly kind: 'index'; readonly index: number }
  /** `[(@.length-1)]` */
  | { readonly kind: 'fromEnd'; readonly back: number }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number }
  | { readonly kind: 'wildcard' }
  /** The value itself and everything below it. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'filter'; readonly test: Test };

const definiteKinds: ReadonlySet<Step['kind']> = new Set(['name', 'names', 'index', 'fromEnd']);

export function isDefiniteStep({ kind }: Step): boolean {
  return definiteKinds.has(kind);
}

/** The condition of a filter. */
export type Test =
  | { readonly operator: 'and' | 'or'; readonly tests: readonly Test[] }
  /** Null counts as absent. */
  | { readonly operator: 'exists'; readonly path: DataPath; readonly isWanted: boolean }
  | { readonly operator: '=~'; readonly value: Operand; readonly pattern: LinearRegex }
  | { readonly operator: Comparison; readonly left: Operand; readonly right: Operand };

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** `@` is the element, `$` the data as a whole. All literals are strings: `5`, `true` and `'a'`. */
export type Operand = { readonly path: DataPath } | { readonly literal: string };

/** Why a string cannot be parsed, as a clause. */
export interface Fault {
  readonly fault: string;
}

export function isFault(found: object): found is Fault {
  return 'fault' in found;
}

/**
 * Reads a filter after its `?`: `(@.price < 10 && @.title)`. As in AWS, parentheses within it do not group: `&&` always
 * binds more tightly than `||`.
 */
function readFilter(scanner: Scanner): Test {
  scanner.skipBlanks();
  if (!scanner.take('(')) return scanner.stop('a "(" is missing behind "?"');
  const alternatives: Test[][] = [[]];
  for (const token of tokensOf(insideOf(scanner))) {
    if (token === '||') alternatives.push([]);
    else if (token !== '&&') alternatives.at(-1)!.push(readCriterion(token, scanner));
  }
  return joined(
    'or',
    alternatives.map((tests) => joined('and', tests)),
  );
}

function joined(operator: 'and' | 'or', tests: readonly Test[]): Test {
  return tests.length === 1 ? tests[0]! : { operator, tests };
}

/** The text up to the parenthesis that closes the filter. */
function insideOf(scanner: Scanner): string {
  const start = scanner.at;
  for (let depth = 1; ;) {
    const part = scanner.match(filterPart) ?? scanner.stop('a ")" is missing in a filter');
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (depth === 0) return scanner.since(start).slice(0, -1);
  }
}

const quoted = String.raw`'(?:[^'\\]|\\.)*'`;
const filterPart = new RegExp(String.raw`${quoted}|[()]|[^'()]+`, 'sy');
const token = new RegExp(String.raw`&&|\|\||(?:${quoted}|(?!&&|\|\|).)+`, 'gs');
const comparison = new RegExp(
  String.raw`^((?:${quoted}|(?!==|>=|<=|!=|<|>|=~).)*?)(==|>=|<=|!=|<|>|=~)(.*)$`,
  's',
);

/** Criteria, and the operators between them. */
function tokensOf(text: string): readonly string[] {
  return text.match(token) ?? [''];
}

function readCriterion(text: string, scanner: Scanner): Test {
  const criterion = text.replace(/^[[?( ]+/, '').replace(/[) ]+$/, '');
  const [, first, operator, second] = comparison.exec(criterion) ?? [];
  if (first === undefined || operator === undefined || second === undefined) {
    const isWanted = !criterion.startsWith('!');
    const operand = readOperand(isWanted ? criterion : criterion.slice(1), scanner);
    if ('path' in operand) return { operator: 'exists', path: operand.path, isWanted };
    return scanner.stop('a filter compares nothing');
  }
  const [left, right] = [first.trim(), second.trim()];
  if (left === '' || right === '') return scanner.stop('a value is missing in a filter');
  if (operator !== '=~') {
    const operands = [left, right].map((one) => readOperand(one, scanner));
    return { operator: operator as Comparison, left: operands[0]!, right: operands[1]! };
  }
  const [pattern, value] = isPattern(left) ? [left, right] : [right, left];
  return {
    operator,
    value: readOperand(value, scanner),
    pattern: readPattern(pattern, scanner),
  };
}

function readOperand(text: string, scanner: Scanner): Operand {
  if (/^[$@]/.test(text)) {
    const path = readInFilter(scannerOf(text));
    if (path.isDefinite) return { path };
    return scanner.stop(`"${path.text}" in a filter can lead to several places`);
  }
  return { literal: /^'.*'$/s.test(text) ? text.slice(1, -1) : text };
}

function isPattern(text: string): boolean {
  return /^\/.*\/i?$/s.test(text);
}

/** Reads `/pattern/` or `/pattern/i`. A string must match as a whole. */
function readPattern(text: string, scanner: Scanner): LinearRegex {
  if (!isPattern(text)) return scanner.stop('a pattern such as "/a.*/i" is missing');
  try {
    const { LinearRegex: Regex } = engines();
    return new Regex({
      source: `^(?:${text.slice(1, text.lastIndexOf('/'))})$`,
      ignoreCase: text.endsWith('i'),
      multiline: false,
    });
  } catch (error) {
    if (error instanceof EnginesNotLoadedError) throw error;
    return scanner.stop('a pattern is not valid, or looks around or back');
  }
}

/** More than any real path has. Each step takes time in every evaluation. */
const mostSteps = 100;

/** Reads a path from its first character to its last. Blanks around it do not count. */
export function parsePath(text: string): DataPath | Fault {
  try {
    return readWhole(scannerOf(text.trim()), ['$']);
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message };
    throw error;
  }
}

function readWhole(scanner: Scanner, roots: readonly string[]): DataPath {
  const path = readPath(scanner, roots, wholeName);
  if (scanner.isAtEnd()) return path;
  return scanner.stop(`"${scanner.rest()[0]!}" does not belong there`);
}

/** A path of a filter. */
function readInFilter(scanner: Scanner): DataPath {
  const path = readWhole(scanner, ['$', '@']);
  return path.root.length === 1 ? path : scanner.stop(`a filter cannot read "${path.root}"`);
}

const rootPattern = /\$\$|\$[\p{ID_Start}_][\p{ID_Continue}]*|\$|@/uy;
/** A name in a path that is the whole string. AWS takes more characters there than in a call. */
const wholeName = /[^ .[]+/y;
/** A name in a call. */
const namePattern = /[^\s.[\]()'"*,?&|=!<>]+|\*/y;

/**
 * Reads as much of a path as there is.
 *
 * @param roots the possible beginnings; `$` covers `$$` and variables
 * @param names sticky, matches a name
 */
export function readPath(
  scanner: Scanner,
  roots: readonly string[],
  names = namePattern,
): DataPath {
  const start = scanner.at;
  const root = scanner.match(rootPattern);
  if (root === undefined || !roots.includes(root.charAt(0))) {
    return scanner.stop('it does not begin with "$"');
  }
  const steps: Step[] = [];
  // AWS reads `$.list[0]name` like `$.list[0].name`.
  let needsDot = true;
  for (;;) {
    if (steps.length > mostSteps) return scanner.stop(`it has more than ${mostSteps} steps`);
    if (scanner.take('[') || scanner.take('.[')) {
      steps.push(readBracket(scanner));
      needsDot = false;
    } else if (scanner.take('..')) {
      steps.push({ kind: 'descent' });
      needsDot = false;
    } else if (scanner.take('.')) {
      steps.push(stepOf(scanner.match(names) ?? scanner.stop('a name is missing behind "."')));
      needsDot = true;
    } else {
      const name = needsDot ? undefined : scanner.match(names);
      if (name === undefined) break;
      steps.push(stepOf(name));
      needsDot = true;
    }
  }
  if (steps.at(-1)?.kind === 'descent') return scanner.stop('a name is missing behind ".."');
  return { text: scanner.since(start), root, steps, isDefinite: steps.every(isDefiniteStep) };
}

function stepOf(name: string): Step {
  return name === '*' ? { kind: 'wildcard' } : { kind: 'name', name };
}

const integer = /-?\d{1,15}/y;

/** Reads a step after its "[". */
function readBracket(scanner: Scanner): Step {
  scanner.skipBlanks();
  const step = readBracketed(scanner);
  scanner.skipBlanks();
  if (!scanner.take(']'))
    return scanner.stop('a "[" is not closed, or something does not belong in it');
  return step;
}

function readBracketed(scanner: Scanner): Step {
  if (scanner.take('*')) return { kind: 'wildcard' };
  if (scanner.take('?')) return { kind: 'filter', test: readFilter(scanner) };
  const back = scanner.match(script);
  if (back !== undefined) return { kind: 'fromEnd', back: Number(/\d+/.exec(back)![0]) };
  const name = scanner.quoted();
  if (name !== undefined) {
    const names = [name, ...readMore(scanner, readQuoted)];
    return names.length > 1 ? { kind: 'names', names } : { kind: 'name', name };
  }
  const index = readInteger(scanner);
  if (scanner.take(':')) return readSlice(scanner, index);
  if (index === undefined) {
    return scanner.stop(`"[${scanner.rest().slice(0, 20)}" is not a step`);
  }
  const indexes = [index, ...readMore(scanner, readInteger)];
  return indexes.length > 1 ? { kind: 'indexes', indexes } : { kind: 'index', index };
}

/** `(@.length-1)`, the only script in paths. */
const script = /\(\s*@\.(?:length|size)\s*(?:\(\s*\))?\s*-\s*\d{1,9}\s*\)/y;

function readMore<Key>(scanner: Scanner, readKey: (scanner: Scanner) => Key | undefined): Key[] {
  const keys: Key[] = [];
  scanner.skipBlanks();
  while (scanner.take(',')) {
    scanner.skipBlanks();
    keys.push(readKey(scanner) ?? scanner.stop(`"${scanner.rest().slice(0, 20)}" is not a step`));
    scanner.skipBlanks();
  }
  return keys;
}

function readQuoted(scanner: Scanner): string | undefined {
  return scanner.quoted();
}

/** Reads an integer and the blanks after it. */
function readInteger(scanner: Scanner): number | undefined {
  const number = scanner.match(integer);
  scanner.skipBlanks();
  return number === undefined ? undefined : Number(number);
}

/** Reads a slice after its first ":". AWS ignores the step of a slice: `[0:6:2]` is `[0:6]`. */
function readSlice(scanner: Scanner, from: number | undefined): Step {
  scanner.skipBlanks();
  const to = readInteger(scanner);
  if (scanner.take(':')) {
    scanner.skipBlanks();
    readInteger(scanner);
  }
  if (from === undefined && to === undefined) return scanner.stop('a slice has no bounds');
  return { kind: 'slice', ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
