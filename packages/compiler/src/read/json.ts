import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser';
import type { Problem } from '../diagnostic.ts';
import type { Path } from '../path.ts';
import { quoteBarePlaceholders } from './bare-placeholders.ts';
import { noContent, type ReadContent } from './content.ts';
import { ReadingStoppedError, type Findings } from './findings.ts';
import { describeJsonError, describeUnclosed, type OpenContainer } from './json-errors.ts';
import { maxDepth, maxValues } from './limits.ts';
import {
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
import { ValueLocations } from './value-locations.ts';

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
