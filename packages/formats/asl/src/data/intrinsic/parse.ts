import {
  type DataPath,
  type Fault,
  ParseError,
  type Reader,
  readerOf,
  readPath,
} from '../path/parse.ts';

/** A parsed call of an intrinsic function. Spec: states-language.net/spec.html#intrinsic-functions */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

export type Argument =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'path'; readonly path: DataPath }
  /** A string with unresolved escapes: `States.Format` treats `\{` differently from `{`. */
  | { readonly kind: 'text'; readonly written: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'word'; readonly value: boolean | null };

/** Resolves `\'`, `\\`, `\{` and `\}`, the only escapes. */
export function unescaped(written: string): string {
  return written.replace(/\\(['\\{}])/g, '$1');
}

/** More than Amazon allows (10), but far from a stack overflow. */
const deepestCall = 20;

const calledName = /[A-Za-z][\w.]*(?=\s*\()/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /(?:true|false|null)\b/y;
const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Whether a string begins like a call, and not like a path. */
export function isCall(text: string): boolean {
  calledName.lastIndex = 0;
  return calledName.test(text.trimStart());
}

/** Reads a call from its first character to its last. Blanks around it do not count. */
export function parseCall(text: string): Call | Fault {
  const reader = readerOf(text.trim());
  try {
    const call = readCall(reader, 0);
    reader.skipBlanks();
    if (!reader.isAtEnd()) reader.stop('something stands behind the last ")"');
    return call;
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message };
    throw error;
  }
}

function readCall(reader: Reader, depth: number): Call {
  if (depth > deepestCall) return reader.stop(`calls are nested more than ${deepestCall} deep`);
  const name = reader.match(calledName);
  if (name === undefined) return reader.stop('a function and its "(" are missing');
  reader.skipBlanks();
  reader.take('(');
  const args: Argument[] = [];
  reader.skipBlanks();
  while (!reader.take(')')) {
    args.push(readArgument(reader, depth));
    reader.skipBlanks();
    if (reader.take(',')) {
      reader.skipBlanks();
      if (reader.peek() === ')') return reader.stop('an argument is missing behind ","');
    } else if (reader.peek() !== ')') return reader.stop('a "," or ")" is missing');
  }
  return { name, args };
}

function readArgument(reader: Reader, depth: number): Argument {
  const first = reader.peek();
  if (first === "'") return { kind: 'text', written: readText(reader) };
  if (first === '$') return { kind: 'path', path: readPath(reader, ['$']) };
  const digits = reader.match(number);
  if (digits !== undefined) return { kind: 'number', value: Number(digits) };
  if (isCall(reader.rest())) return { kind: 'call', call: readCall(reader, depth + 1) };
  const found = reader.match(word);
  if (found !== undefined) return { kind: 'word', value: words.get(found)! };
  return reader.stop(
    first === undefined ? 'a ")" is missing' : `an argument cannot begin with "${first}"`,
  );
}

const quoted = /'((?:[^'\\]|\\.)*)'/sy;

function readText(reader: Reader): string {
  const found = reader.match(quoted);
  if (found === undefined) return reader.stop('a text is not closed');
  const written = found.slice(1, -1);
  if (/\\[^'\\{}]/.test(written.replaceAll('\\\\', ''))) {
    return reader.stop(String.raw`after "\" only ', \, { and } may stand`);
  }
  return written;
}
