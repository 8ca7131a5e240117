import { type Fault, type Path, type PathFunction, type Step } from './path.ts';
import { parseTest } from './parse-filter.ts';
import { type Reader, readerOf, ParseError } from './reader.ts';

const functions: ReadonlySet<string> = new Set<PathFunction>([
  'length',
  'size',
  'min',
  'max',
  'avg',
  'sum',
  'stddev',
  'keys',
  'first',
  'last',
]);

/** More than any real path has. Each step takes time in every evaluation. */
const mostSteps = 100;

/** Reads a path from its first character to its last. Blanks around it do not count. */
export function parsePath(text: string): Path | Fault {
  const reader = readerOf(text.trim());
  try {
    const path = readPath(reader, ['$'], wholeName);
    if (!reader.isAtEnd()) reader.stop(`"${reader.rest()[0]!}" does not belong there`);
    return path;
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message };
    throw error;
  }
}

const rootPattern = /\$\$|\$[\p{ID_Start}_][\p{ID_Continue}]*|\$|@/uy;
/** A name in a path that is the whole text. AWS takes more characters there than where other text follows. */
const wholeName = /[^\s.[\]()'"*]+/y;
/** A name in a filter, or in a call. */
const namePattern = /[^\s.[\]()'"*,?&|=!<>]+/y;

/**
 * Reads as much of a path as there is.
 *
 * @param roots what it may begin with; `$` covers `$$` and variables
 * @param names sticky, matches a name
 */
export function readPath(reader: Reader, roots: readonly string[], names = namePattern): Path {
  const start = reader.at;
  const root = reader.match(rootPattern);
  if (root === undefined || !roots.includes(root.charAt(0))) {
    return reader.stop('it does not begin with "$"');
  }
  const steps: Step[] = [];
  for (;;) {
    if (steps.length > mostSteps) return reader.stop(`it has more than ${mostSteps} steps`);
    if (reader.take('[')) {
      steps.push(readBracket(reader));
      // AWS reads `$.list[0]name` like `$.list[0].name`.
      const name = reader.match(names);
      if (name !== undefined) steps.push(nameOrFunction(reader, name));
    } else if (reader.take('..')) {
      steps.push({ kind: 'descent' });
      if (reader.take('[')) steps.push(readBracket(reader));
      else steps.push(readName(reader, names));
    } else if (reader.take('.')) {
      // AWS reads `$.list.[0]` like `$.list[0]`.
      steps.push(reader.take('[') ? readBracket(reader) : readName(reader, names));
    } else break;
  }
  return {
    text: reader.since(start),
    root,
    steps,
    isDefinite: steps.every(
      ({ kind }) => kind === 'name' || kind === 'index' || kind === 'function',
    ),
  };
}

function readName(reader: Reader, names: RegExp): Step {
  if (reader.take('*')) return { kind: 'wildcard' };
  const name = reader.match(names);
  return name === undefined
    ? reader.stop('a name is missing behind "."')
    : nameOrFunction(reader, name);
}

function nameOrFunction(reader: Reader, name: string): Step {
  if (!reader.take('()')) return { kind: 'name', name };
  if (functions.has(name)) return { kind: 'function', name: name as PathFunction };
  return reader.stop(`there is no function "${name}()" in paths`);
}

const integer = /-?\d{1,15}/y;

/** Behind "[". */
function readBracket(reader: Reader): Step {
  reader.skipBlanks();
  const step = readBracketed(reader);
  reader.skipBlanks();
  if (!reader.take(']'))
    return reader.stop('a "[" is not closed, or something does not belong in it');
  return step;
}

function readBracketed(reader: Reader): Step {
  if (reader.take('*')) return { kind: 'wildcard' };
  if (reader.take('?')) {
    reader.skipBlanks();
    if (!reader.take('(')) return reader.stop('a "(" is missing behind "?"');
    const test = parseTest(reader, readPath);
    if (!reader.take(')')) return reader.stop('a ")" is missing in a filter');
    return { kind: 'filter', test };
  }
  const first = reader.peek() === ':' ? undefined : readKey(reader);
  reader.skipBlanks();
  if (typeof first !== 'string' && reader.take(':')) return readSlice(reader, first);
  const keys = [first!];
  while (reader.take(',')) {
    reader.skipBlanks();
    keys.push(readKey(reader));
    reader.skipBlanks();
  }
  if (keys.length > 1) return { kind: 'several', keys };
  return typeof first === 'string'
    ? { kind: 'name', name: first }
    : { kind: 'index', index: first! };
}

function readKey(reader: Reader): string | number {
  const quoted = reader.quoted();
  if (quoted !== undefined) return quoted;
  const number = reader.match(integer);
  if (number !== undefined) return Number(number);
  return reader.stop(`"[${reader.rest().slice(0, 20)}" is not a step`);
}

/** Behind the first ":". */
function readSlice(reader: Reader, from: number | undefined): Step {
  const bound = () => {
    reader.skipBlanks();
    const number = reader.match(integer);
    reader.skipBlanks();
    return number === undefined ? undefined : Number(number);
  };
  const to = bound();
  const by = reader.take(':') ? (bound() ?? 1) : 1;
  if (by < 1) return reader.stop('a slice goes forwards');
  return {
    kind: 'slice',
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    by,
  };
}
