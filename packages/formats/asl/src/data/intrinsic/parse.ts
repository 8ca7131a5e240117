import {
  type DataPath,
  type Fault,
  ParseError,
  type Scanner,
  scannerOf,
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
  const scanner = scannerOf(text.trim());
  try {
    const call = readCall(scanner, 0);
    scanner.skipBlanks();
    if (!scanner.isAtEnd()) scanner.stop('something stands behind the last ")"');
    return call;
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message };
    throw error;
  }
}

function readCall(scanner: Scanner, depth: number): Call {
  if (depth > deepestCall) return scanner.stop(`calls are nested more than ${deepestCall} deep`);
  const name = scanner.match(calledName);
  if (name === undefined) return scanner.stop('a function and its "(" are missing');
  scanner.skipBlanks();
  scanner.take('(');
  const args: Argument[] = [];
  scanner.skipBlanks();
  while (!scanner.take(')')) {
    args.push(readArgument(scanner, depth));
    scanner.skipBlanks();
    if (scanner.take(',')) {
      scanner.skipBlanks();
      if (scanner.peek() === ')') return scanner.stop('an argument is missing behind ","');
    } else if (scanner.peek() !== ')') return scanner.stop('a "," or ")" is missing');
  }
  return { name, args };
}

function readArgument(scanner: Scanner, depth: number): Argument {
  const first = scanner.peek();
  if (first === "'") return { kind: 'text', written: readText(scanner) };
  if (first === '$') return { kind: 'path', path: readPath(scanner, ['$']) };
  const digits = scanner.match(number);
  if (digits !== undefined) return { kind: 'number', value: Number(digits) };
  if (isCall(scanner.rest())) return { kind: 'call', call: readCall(scanner, depth + 1) };
  const found = scanner.match(word);
  if (found !== undefined) return { kind: 'word', value: words.get(found)! };
  return scanner.stop(
    first === undefined ? 'a ")" is missing' : `an argument cannot begin with "${first}"`,
  );
}

const quoted = /'((?:[^'\\]|\\.)*)'/sy;

function readText(scanner: Scanner): string {
  const found = scanner.match(quoted);
  if (found === undefined) return scanner.stop('a text is not closed');
  const written = found.slice(1, -1);
  if (/\\[^'\\{}]/.test(written.replaceAll('\\\\', ''))) {
    return scanner.stop(String.raw`after "\" only ', \, { and } may stand`);
  }
  return written;
}
