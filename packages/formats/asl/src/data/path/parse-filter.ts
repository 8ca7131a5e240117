import { LinearRegex } from '../jsonata/linear-regex.ts';
import type { Comparison, Operand, Path, Test } from './path.ts';
import type { Reader } from './reader.ts';

type ReadPath = (reader: Reader, roots: readonly string[]) => Path;

/** Deeper than any real filter, but far from a stack overflow. */
const deepest = 20;

/** Reads the text between the brackets of a filter: `@.price < 10 && @.title`. */
export function parseTest(reader: Reader, readPath: ReadPath, depth = 0): Test {
  if (depth > deepest) return reader.stop(`filters are nested more than ${deepest} deep`);
  const tests = [readConjunction(reader, readPath, depth)];
  while (reader.take('||')) tests.push(readConjunction(reader, readPath, depth));
  return tests.length === 1 ? tests[0]! : { operator: 'or', tests };
}

function readConjunction(reader: Reader, readPath: ReadPath, depth: number): Test {
  const tests = [readOne(reader, readPath, depth)];
  while (reader.take('&&')) tests.push(readOne(reader, readPath, depth));
  return tests.length === 1 ? tests[0]! : { operator: 'and', tests };
}

function readOne(reader: Reader, readPath: ReadPath, depth: number): Test {
  reader.skipBlanks();
  if (reader.take('!')) return { operator: 'not', test: readOne(reader, readPath, depth + 1) };
  if (reader.take('(')) {
    const test = parseTest(reader, readPath, depth + 1);
    if (!reader.take(')')) return reader.stop('a ")" is missing in a filter');
    reader.skipBlanks();
    return test;
  }
  const left = readOperand(reader, readPath);
  reader.skipBlanks();
  if (reader.take('=~')) {
    reader.skipBlanks();
    const pattern = readPattern(reader);
    reader.skipBlanks();
    return { operator: 'matches', text: left, pattern };
  }
  const operator = reader.match(comparison)?.toLowerCase() as Comparison | undefined;
  if (operator === undefined) {
    return 'path' in left
      ? { operator: 'exists', path: left.path }
      : reader.stop('a filter compares nothing');
  }
  reader.skipBlanks();
  const right = readOperand(reader, readPath);
  reader.skipBlanks();
  return { operator, left, right };
}

const comparison =
  /===|!==|==|!=|<=|>=|<|>|(?:in|nin|contains|subsetof|anyof|noneof|all|size|empty)\b/iy;
const delimitedPattern = /\/((?:[^/\\]|\\.)*)\/([imsuxdU]*)/sy;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true\b|false\b|null\b/y;
const bareText = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads `/pattern/flags`. A text matches as a whole. */
function readPattern(reader: Reader): LinearRegex {
  const written = reader.match(delimitedPattern);
  if (written === undefined) return reader.stop('a pattern such as "/a.*/i" is missing');
  const end = written.lastIndexOf('/');
  const flags = written.slice(end + 1);
  try {
    return new LinearRegex({
      source: `^(?:${written.slice(1, end)})$`,
      ignoreCase: flags.includes('i'),
      multiline: false,
    });
  } catch {
    return reader.stop('a pattern is not valid, or looks around or back');
  }
}

function readOperand(reader: Reader, readPath: ReadPath): Operand {
  const first = reader.peek();
  if (first === '@' || first === '$') return { path: readPath(reader, ['@', '$']) };
  if (reader.take('[')) return { value: readList(reader) };
  return { value: readLiteral(reader) };
}

function readList(reader: Reader): (string | number | boolean | null)[] {
  const values = [];
  reader.skipBlanks();
  while (!reader.take(']')) {
    values.push(readLiteral(reader));
    reader.skipBlanks();
    if (!reader.take(',') && reader.peek() !== ']')
      return reader.stop('a "]" is missing in a filter');
    reader.skipBlanks();
  }
  return values;
}

function readLiteral(reader: Reader): string | number | boolean | null {
  const text = reader.quoted();
  if (text !== undefined) return text;
  const digits = reader.match(number);
  if (digits !== undefined) return Number(digits);
  const name = reader.match(word);
  if (name !== undefined) return words.get(name)!;
  // Some examples by Amazon have texts without quotes.
  const bare = reader.match(bareText);
  if (bare !== undefined) return bare;
  return reader.stop('a value is missing in a filter');
}
