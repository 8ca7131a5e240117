import { readFilter } from './parse-filter.ts';
import { type Fault, isDefiniteStep, type Path, type Step } from './path.ts';
import { type Reader, readerOf, ParseError } from './reader.ts';

/** More than any real path has. Each step takes time in every evaluation. */
const mostSteps = 100;

/** Reads a path from its first character to its last. Blanks around it do not count. */
export function parsePath(text: string): Path | Fault {
  try {
    return readWhole(readerOf(text.trim()), ['$']);
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message };
    throw error;
  }
}

function readWhole(reader: Reader, roots: readonly string[]): Path {
  const path = readPath(reader, roots, wholeName);
  if (reader.isAtEnd()) return path;
  return reader.stop(`"${reader.rest()[0]!}" does not belong there`);
}

/** A path of a filter. */
function readInFilter(reader: Reader): Path {
  const path = readWhole(reader, ['$', '@']);
  return path.root.length === 1 ? path : reader.stop(`a filter cannot read "${path.root}"`);
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
export function readPath(reader: Reader, roots: readonly string[], names = namePattern): Path {
  const start = reader.at;
  const root = reader.match(rootPattern);
  if (root === undefined || !roots.includes(root.charAt(0))) {
    return reader.stop('it does not begin with "$"');
  }
  const steps: Step[] = [];
  // AWS reads `$.list[0]name` like `$.list[0].name`.
  let needsDot = true;
  for (;;) {
    if (steps.length > mostSteps) return reader.stop(`it has more than ${mostSteps} steps`);
    if (reader.take('[') || reader.take('.[')) {
      steps.push(readBracket(reader));
      needsDot = false;
    } else if (reader.take('..')) {
      steps.push({ kind: 'descent' });
      needsDot = false;
    } else if (reader.take('.')) {
      steps.push(stepOf(reader.match(names) ?? reader.stop('a name is missing behind "."')));
      needsDot = true;
    } else {
      const name = needsDot ? undefined : reader.match(names);
      if (name === undefined) break;
      steps.push(stepOf(name));
      needsDot = true;
    }
  }
  if (steps.at(-1)?.kind === 'descent') return reader.stop('a name is missing behind ".."');
  return { text: reader.since(start), root, steps, isDefinite: steps.every(isDefiniteStep) };
}

function stepOf(name: string): Step {
  return name === '*' ? { kind: 'wildcard' } : { kind: 'name', name };
}

const integer = /-?\d{1,15}/y;

/** Reads a step after its "[". */
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
  if (reader.take('?')) return { kind: 'filter', test: readFilter(reader, readInFilter) };
  const back = reader.match(script);
  if (back !== undefined) return { kind: 'fromEnd', back: Number(/\d+/.exec(back)![0]) };
  const name = reader.quoted();
  if (name !== undefined) {
    const names = [name, ...readMore(reader, readQuoted)];
    return names.length > 1 ? { kind: 'names', names } : { kind: 'name', name };
  }
  const index = readInteger(reader);
  if (reader.take(':')) return readSlice(reader, index);
  if (index === undefined) {
    return reader.stop(`"[${reader.rest().slice(0, 20)}" is not a step`);
  }
  const indexes = [index, ...readMore(reader, readInteger)];
  return indexes.length > 1 ? { kind: 'indexes', indexes } : { kind: 'index', index };
}

/** `(@.length-1)`, the only script in paths. */
const script = /\(\s*@\.(?:length|size)\s*(?:\(\s*\))?\s*-\s*\d{1,9}\s*\)/y;

function readMore<Key>(reader: Reader, readKey: (reader: Reader) => Key | undefined): Key[] {
  const keys: Key[] = [];
  reader.skipBlanks();
  while (reader.take(',')) {
    reader.skipBlanks();
    keys.push(readKey(reader) ?? reader.stop(`"${reader.rest().slice(0, 20)}" is not a step`));
    reader.skipBlanks();
  }
  return keys;
}

function readQuoted(reader: Reader): string | undefined {
  return reader.quoted();
}

/** Reads an integer and the blanks after it. */
function readInteger(reader: Reader): number | undefined {
  const number = reader.match(integer);
  reader.skipBlanks();
  return number === undefined ? undefined : Number(number);
}

/** Reads a slice after its first ":". AWS ignores the step of a slice: `[0:6:2]` is `[0:6]`. */
function readSlice(reader: Reader, from: number | undefined): Step {
  reader.skipBlanks();
  const to = readInteger(reader);
  if (reader.take(':')) {
    reader.skipBlanks();
    readInteger(reader);
  }
  if (from === undefined && to === undefined) return reader.stop('a slice has no bounds');
  return { kind: 'slice', ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
