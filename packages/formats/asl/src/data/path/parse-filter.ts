import { engines } from '#engines';
import { EnginesNotLoadedError } from '../../engines/engines-not-loaded-error.ts';
import type { LinearRegex } from '../jsonata/linear-regex.ts';
import type { Comparison, Operand, Path, Test } from './path.ts';
import { type Reader, readerOf } from './reader.ts';

/** Reads a path of a filter, from its first character to its last. */
type ParsePath = (reader: Reader) => Path;

/**
 * Reads a filter after its `?`: `(@.price < 10 && @.title)`. As in AWS, parentheses within it do not group: `&&` always
 * binds more tightly than `||`.
 */
export function readFilter(reader: Reader, parsePath: ParsePath): Test {
  reader.skipBlanks();
  if (!reader.take('(')) return reader.stop('a "(" is missing behind "?"');
  const alternatives: Test[][] = [[]];
  for (const token of tokensOf(insideOf(reader))) {
    if (token === '||') alternatives.push([]);
    else if (token !== '&&') alternatives.at(-1)!.push(readCriterion(token, reader, parsePath));
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
function insideOf(reader: Reader): string {
  const start = reader.at;
  for (let depth = 1; ;) {
    const part = reader.match(filterPart) ?? reader.stop('a ")" is missing in a filter');
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (depth === 0) return reader.since(start).slice(0, -1);
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

function readCriterion(text: string, reader: Reader, parsePath: ParsePath): Test {
  const criterion = text.replace(/^[[?( ]+/, '').replace(/[) ]+$/, '');
  const [, first, operator, second] = comparison.exec(criterion) ?? [];
  if (first === undefined || operator === undefined || second === undefined) {
    const isWanted = !criterion.startsWith('!');
    const operand = readOperand(isWanted ? criterion : criterion.slice(1), reader, parsePath);
    if ('path' in operand) return { operator: 'exists', path: operand.path, isWanted };
    return reader.stop('a filter compares nothing');
  }
  const [left, right] = [first.trim(), second.trim()];
  if (left === '' || right === '') return reader.stop('a value is missing in a filter');
  if (operator !== '=~') {
    const operands = [left, right].map((one) => readOperand(one, reader, parsePath));
    return { operator: operator as Comparison, left: operands[0]!, right: operands[1]! };
  }
  const [pattern, value] = isPattern(left) ? [left, right] : [right, left];
  return {
    operator,
    value: readOperand(value, reader, parsePath),
    pattern: readPattern(pattern, reader),
  };
}

function readOperand(text: string, reader: Reader, parsePath: ParsePath): Operand {
  if (/^[$@]/.test(text)) {
    const path = parsePath(readerOf(text));
    if (path.isDefinite) return { path };
    return reader.stop(`"${path.text}" in a filter can lead to several places`);
  }
  return { literal: /^'.*'$/s.test(text) ? text.slice(1, -1) : text };
}

function isPattern(text: string): boolean {
  return /^\/.*\/i?$/s.test(text);
}

/** Reads `/pattern/` or `/pattern/i`. A string must match as a whole. */
function readPattern(text: string, reader: Reader): LinearRegex {
  if (!isPattern(text)) return reader.stop('a pattern such as "/a.*/i" is missing');
  try {
    const { LinearRegex: Regex } = engines();
    return new Regex({
      source: `^(?:${text.slice(1, text.lastIndexOf('/'))})$`,
      ignoreCase: text.endsWith('i'),
      multiline: false,
    });
  } catch (error) {
    if (error instanceof EnginesNotLoadedError) throw error;
    return reader.stop('a pattern is not valid, or looks around or back');
  }
}
