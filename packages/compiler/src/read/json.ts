import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import type { Problem } from '../diagnostic.ts';
import type { Path } from '../json.ts';
import { type Findings, quoteBarePlaceholders, ReadingStoppedError } from './findings.ts';
import type { Span } from './positions.ts';
import {
  codePointName,
  controlCharacter,
  duplicateKey,
  empty,
  notJsonValue,
  printNumber,
  quote,
  reservedKey,
  syntax,
  tooDeep,
  tooLarge,
  unsafeNumber,
} from './problems.ts';
import { maxDepth, maxValues } from './source.ts';
import { type Key, noContent, type ReadContent, ValueLocations } from './value-locations.ts';

/** An object or list that is still being read. */
interface OpenContainer {
  readonly value: unknown[] | Record<string, unknown>;
  readonly place: number;
  readonly start: number;
  /** The key whose value comes next; undefined in a list, and between two members of an object. */
  key: Key | undefined;
}

interface ErrorContext {
  readonly text: string;
  /** The offset of the token at which the parser stopped. */
  readonly offset: number;
  readonly length: number;
  /** The innermost object or list around it. */
  readonly inside: OpenContainer | undefined;
}

interface Wording {
  readonly message: string;
  readonly hint: string;
  /** The parser still understands the text after such an error. */
  readonly isLocal?: boolean;
}

interface JsonError extends Wording {
  readonly span: Span;
}

/** Describes an error of jsonc-parser to authors. `name` is the result of its `printParseErrorCode`. */
function describeJsonError(name: string, where: ErrorContext): JsonError {
  const { text, offset, length } = where;
  const token = text.slice(offset, offset + length);
  const span = { start: offset, end: offset + length };
  switch (name) {
    case 'InvalidSymbol':
      return { ...unknownWord(token, where), span };
    case 'PropertyNameExpected':
      return { ...noKey(token), span };
    case 'ValueExpected':
      return { ...noValue(token, where), span };
    case 'ColonExpected':
      return {
        message: `There is no colon after the key${keyName(where)}.`,
        hint: 'Write a colon and then the value.',
        span,
        isLocal: true,
      };
    case 'CommaExpected':
      return { ...noComma(token, where), span };
    case 'EndOfFileExpected':
      return {
        message: 'There is more text after the end of the definition.',
        hint: 'Delete it: a text holds one definition.',
        span,
      };
    case 'UnexpectedEndOfComment':
      return { message: 'This comment is not closed.', hint: 'Write */ where it ends.', span };
    case 'UnexpectedEndOfString':
      return {
        message: 'This text in quotes is not closed.',
        hint: 'Write " where it ends; a line break in it is written \\n.',
        span,
      };
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return {
        message: `${quote(token)} is not a complete number.`,
        hint: 'Write the digits that are missing.',
        isLocal: true,
        span,
      };
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
      return { ...badEscape(text, span), isLocal: true };
    case 'InvalidCharacter':
      return {
        message: 'There is a tab in this text in quotes.',
        hint: 'Write \\t for it.',
        span,
        isLocal: true,
      };
    default:
      return { message: `${quote(token)} is not allowed here.`, hint: 'Delete it.', span };
  }
}

function unknownWord(token: string, { inside }: ErrorContext): Wording {
  const constant = constants.get(token.toLowerCase());
  if (constant !== undefined)
    return {
      message: `${quote(token)} is not a value that JSON has.`,
      hint: `Write ${constant}.`,
      isLocal: true,
    };
  if (/^['‘’“”„«»`]/u.test(token))
    return {
      message: 'JSON knows only straight double quotes.',
      hint: 'Write " before and after the text.',
    };
  if (token.startsWith('#'))
    return { message: 'In JSON a comment does not begin with #.', hint: 'Begin it with //.' };
  if (/^[-+.]\d/.test(token))
    return {
      message: `${quote(token)} is not how JSON writes a number.`,
      hint: 'Begin with a digit, or with a minus and a digit.',
    };
  if (/^[\p{L}_$]/u.test(token)) {
    const isKey = inside !== undefined && !Array.isArray(inside.value) && !inside.key;
    const name = quote(token);
    return isKey
      ? {
          message: `The key ${name} is not in double quotes.`,
          hint: `Write it as ${name}, with a colon after it.`,
        }
      : {
          message: `The text ${name} is not in double quotes.`,
          hint: 'Write " before and after the whole text.',
        };
  }
  const shown = /^[\p{Z}\p{C}]/u.test(token)
    ? `The invisible character ${codePointName(token)}`
    : quote(token);
  return {
    message: `${shown} is not allowed here.`,
    hint: 'Delete it, or write it in double quotes if it is part of a text.',
  };
}

/** Words for constants in other languages and spellings, in lower case. */
const constants: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
  ['nan', 'null'],
  ['infinity', 'null'],
]);

function noKey(token: string): Wording {
  if (token === ',')
    return {
      message: 'There is nothing between these two commas.',
      hint: 'Delete one of them.',
      isLocal: true,
    };
  return {
    message: 'There is no key here.',
    hint: 'Each member of an object is a key in double quotes, a colon and a value.',
  };
}

function noValue(token: string, { inside }: ErrorContext): Wording {
  if (inside?.key)
    return {
      message: `The key ${quote(inside.key.name)} has no value.`,
      hint: 'Write its value after the colon.',
    };
  if (token === ',')
    return {
      message: 'There is nothing before this comma.',
      hint: 'Delete the comma, or write what is missing.',
    };
  if (token === '')
    return {
      message: 'The text ends before it has a value.',
      hint: 'Write the rest of the definition.',
    };
  return {
    message: `There is no value before this ${quote(token)}.`,
    hint: 'Write the value, or delete this.',
  };
}

function noComma(token: string, { text, offset, inside }: ErrorContext): Wording {
  if (inside && /^[\]}]$/.test(token)) {
    const { kind, closer } = bracketsOf(inside.value);
    return {
      message: `This ${token} does not close the ${kind} around it.`,
      hint: `Write ${closer} where the ${kind} ends.`,
    };
  }
  if (/^\d/.test(token) && /(?:^|[^\d.])-?0$/.test(text.slice(Math.max(0, offset - 3), offset))) {
    return {
      message: 'A number does not begin with 0.',
      hint: 'Delete the 0, or write the number in quotes.',
      isLocal: true,
    };
  }
  return {
    message: 'There is no comma between these two items.',
    hint: 'Write a comma before this one.',
    isLocal: true,
  };
}

/** Describes a missing closing bracket at the end of the text. */
function describeUnclosed(
  { value, start }: OpenContainer,
  end: number,
): JsonError & { readonly related: { readonly span: Span; readonly message: string } } {
  const { kind, closer } = bracketsOf(value);
  return {
    message: `The text ends before this ${kind} is closed.`,
    hint: `Write ${closer} where the ${kind} ends.`,
    span: { start: end, end },
    related: { span: { start, end: start + 1 }, message: `The ${kind} begins here.` },
  };
}

function bracketsOf(value: OpenContainer['value']): { kind: string; closer: string } {
  return Array.isArray(value) ? { kind: 'list', closer: ']' } : { kind: 'object', closer: '}' };
}

/** Points at the backslash, because the parser reports the whole string. */
function badEscape(text: string, token: Span): JsonError {
  for (
    let at = text.indexOf('\\', token.start);
    at !== -1 && at < token.end;
    at = text.indexOf('\\', at + 2)
  ) {
    const escape = text.slice(at, at + 6);
    if (/^\\(?:["\\/bfnrt]|u[\da-f]{4})/i.test(escape)) continue;
    const isUnicode = escape.startsWith('\\u');
    const span = { start: at, end: Math.min(at + 2, token.end) };
    return isUnicode
      ? {
          message: 'After \\u there are not four digits.',
          hint: 'Write four digits from 0 to 9 and a to f, as in \\u00e9.',
          span,
        }
      : {
          message: `${quote(escape.slice(0, 2))} is not an escape that JSON has.`,
          hint: 'Write \\\\ for a backslash.',
          span,
        };
  }
  return {
    message: 'There is a backslash in this text that begins no escape.',
    hint: 'Write \\\\ for a backslash.',
    span: token,
  };
}

function keyName({ inside }: ErrorContext): string {
  return inside?.key ? ` ${quote(inside.key.name)}` : '';
}

/**
 * Reads JSON with comments and trailing commas. One walk of jsonc-parser makes the value and its locations. Throws at the first
 * bracket that is too deep, which bounds the recursion.
 */
export function readJson(
  text: string,
  findings: Findings,
  options: { readonly placeholders?: boolean | undefined } = {},
): ReadContent {
  const bare = options.placeholders
    ? quoteBarePlaceholders(text)
    : { text, offsets: new Set<number>() };
  const reader = jsonReader(text, findings, bare.offsets);
  try {
    // A byte order mark is not JSON. A space in its place keeps the offsets.
    const json = text.startsWith('\uFEFF') ? ` ${bare.text.slice(1)}` : bare.text;
    visit(json, reader.visitor, { allowTrailingComma: true });
    return reader.content();
  } catch (error) {
    if (error instanceof ReadingStoppedError) return noContent();
    throw error;
  }
}

function jsonReader(
  text: string,
  findings: Findings,
  placeholders: ReadonlySet<number>,
): { visitor: JSONVisitor; content(): ReadContent } {
  const locations = new ValueLocations();
  const stack: OpenContainer[] = [];
  let top: OpenContainer | undefined;
  let root: unknown;
  // False after an error, until the parser recovers: errors until then have the same cause.
  let settled = true;
  // The offset of an unclosed string. The parser reports it as a value, but has not recovered from the error.
  let endless = -1;
  let unclosed: { open: OpenContainer; path: Path } | undefined;
  // Where the parser lost the structure. Findings after it are unreliable.
  let lostAt: number | undefined;

  /** The path of the current value. A list contains its current item only after the item is added. */
  function path(isAdded = false): Path {
    return stack.flatMap(({ value, key }): Path => {
      if (Array.isArray(value))
        return [value === top?.value && !isAdded ? value.length : value.length - 1];
      return key ? [key.name] : [];
    });
  }

  /** Adds a value to its container, and returns its row in the locations. */
  function add(value: unknown, start: number, end: number): number {
    if (start !== endless) settled = true;
    if (locations.count === maxValues) {
      findings.add(
        tooLarge(
          `more than ${printNumber(maxValues)}`,
          maxValues,
          'values',
          'Split the definition into several.',
        ),
        { start, end },
        path(),
      );
      throw new ReadingStoppedError();
    }
    const place = locations.add(start, end, top?.key);
    if (!top) root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else if (top.key && top.key.name !== '__proto__') top.value[top.key.name] = value;
    return place;
  }

  function begin(value: unknown[] | Record<string, unknown>, start: number): void {
    if (stack.length === maxDepth) {
      findings.add(tooDeep(maxDepth), { start, end: start + 1 }, path());
      throw new ReadingStoppedError();
    }
    const place = add(value, start, start);
    top = { value, place, start, key: undefined };
    stack.push(top);
  }

  function close(offset: number, length: number): void {
    const ended = stack.pop();
    top = stack.at(-1);
    if (!ended) return;
    locations.close(ended.place, offset + length);
    if (offset < text.length) settled = true;
    else unclosed ??= { open: ended, path: path(true) };
    valueEnds();
  }

  function valueEnds(): void {
    if (top) top.key = undefined;
  }

  const visitor: JSONVisitor = {
    onObjectBegin: (offset) => begin({}, offset),
    onObjectEnd: close,
    onArrayBegin: (offset) => begin([], offset),
    onArrayEnd: close,

    onObjectProperty(given, offset, length) {
      const name = placeholders.has(offset) ? text.slice(offset, offset + length) : given;
      if (offset !== endless) settled = true;
      if (!top || Array.isArray(top.value)) return;
      const key = { name, start: offset, end: offset + length };
      top.key = key;
      if (name === '__proto__') findings.add(reservedKey(name), key, path());
      if (name.includes('\0')) findings.add(controlCharacter('\0'), key, path());
      if (Object.hasOwn(top.value, name) && findings.accepts(duplicateKey)) {
        const first = locations.firstKey(top.place, name) ?? key;
        findings.add(duplicateKey(name), key, path(), [
          { span: first, path: path(), message: 'It is here first.' },
        ]);
      }
    },

    onLiteralValue(value: unknown, offset, length) {
      const span = { start: offset, end: offset + length };
      let read = placeholders.has(offset) ? text.slice(offset, offset + length) : value;
      if (typeof value === 'number') {
        const problem = numberProblem(text.slice(span.start, span.end), value);
        if (problem) findings.add(problem, span, path());
        if (!Number.isFinite(value)) read = null;
      } else if (typeof value === 'string' && value.includes('\0')) {
        findings.add(controlCharacter('\0'), span, path());
      }
      add(read, span.start, span.end);
      valueEnds();
    },

    onSeparator(character) {
      settled = true;
      if (character === ',') valueEnds();
    },

    onError(code, offset, length) {
      if (!settled || lostAt !== undefined || !findings.accepts(syntax)) return;
      settled = false;
      const name = printParseErrorCode(code);
      if (name === 'UnexpectedEndOfString') endless = offset;
      if (name === 'ValueExpected' && offset === text.length && stack.length === 0) {
        if (findings.none) findings.add(empty(), { start: 0, end: 0 }, []);
      } else if (unclosed) {
        const { message, hint, span, related } = describeUnclosed(unclosed.open, offset);
        findings.add(syntax(message, hint), span, unclosed.path, [
          { ...related, path: unclosed.path },
        ]);
      } else {
        const { message, hint, span, isLocal } = describeJsonError(name, {
          text,
          offset,
          length,
          inside: top,
        });
        findings.add(syntax(message, hint), span, path());
        // A finding at the end of the text has an empty span.
        if (isLocal !== true) lostAt = Math.max(span.end, span.start + 1);
      }
    },
  };

  return {
    visitor,
    content() {
      if (lostAt !== undefined) findings.dropBehind(lostAt);
      return { value: root, locations };
    },
  };
}

const integer = /^[-+]?\d+$|^0[xo][\da-f]+$/i;

/** Checks a number as written against its parsed value. JSON has no value for a number that is not finite. */
export function numberProblem(written: string, value: number): Problem | undefined {
  if (Number.isNaN(value) || /inf/i.test(written)) {
    return notJsonValue(
      `${quote(written)} is not a number that JSON has.`,
      'Write null, or the word in quotes.',
    );
  }
  if (!Number.isFinite(value)) {
    return notJsonValue(
      `The number ${quote(written)} is too large.`,
      'Write a smaller one, or write it in quotes.',
    );
  }
  // Digits are lost only beyond 2^53, and only if the number prints differently from how it was written.
  if (Number.isSafeInteger(value) || !integer.test(written) || written === String(value))
    return undefined;
  return unsafeNumber(written, value);
}
