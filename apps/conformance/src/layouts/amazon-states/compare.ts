import type { Json } from '@dramaturg/compiler';
import { type Difference, inWords } from '../../layout.ts';

/** In what an expected value and ours may differ and still be the same. */
export interface Leeway {
  /** Texts that stand for anything: within an expected text, or as the whole of an expected value. */
  readonly wildcards: readonly string[];
  /** Whether the run has made a value up, as AWS did in its place: an id, a time, a token. */
  readonly isMadeUp: (value: Json) => boolean;
}

export const exactly: Leeway = { wildcards: [], isMadeUp: () => false };

/**
 * The recorder has put `<timestamp>` and the like where it saw a text that it took for one of AWS's. A case lists those of
 * its result; in what was seen on the way there they stand for anything as well.
 */
export function withRecorderTexts(leeway: Leeway, seen: unknown): Leeway {
  const texts = JSON.stringify(seen)?.match(/<[\w:-]+>/g) ?? [];
  return { ...leeway, wildcards: [...leeway.wildcards, ...texts, ...recorderWords] };
}

/** What it has put in the place of times. */
const recorderWords = ['date', 'timestamp'];

/** Where two values first differ, said in two lines that begin with the same place: `output.items[2]: `. */
export function mismatch(
  place: string,
  expected: Json | undefined,
  actual: Json | undefined,
  leeway: Leeway,
): Difference | undefined {
  if (stands(expected, actual, leeway)) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
      const found = mismatch(`${place}[${index}]`, expected[index], actual[index], leeway);
      if (found) return found;
    }
    return undefined;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = mismatch(`${place}.${key}`, own(expected, key), own(actual, key), leeway);
      if (found) return found;
    }
    return undefined;
  }
  if (expected === actual) return undefined;
  return { expected: `${place}: ${told(expected)}`, actual: `${place}: ${told(actual)}` };
}

/** Whether an expected value takes the other without a closer look. */
function stands(
  expected: Json | undefined,
  actual: Json | undefined,
  { wildcards, isMadeUp }: Leeway,
): boolean {
  if (expected === undefined || actual === undefined) return false;
  if (typeof expected === 'string') {
    if (wildcards.includes(expected)) return true;
    if (typeof actual === 'string' && fits(expected, actual, wildcards)) return true;
  }
  return !isComposed(expected) && !isComposed(actual) && isMadeUp(actual);
}

/** Whether a text is the expected one once each wildcard in it is replaced by any text. */
function fits(expected: string, actual: string, wildcards: readonly string[]): boolean {
  const [first = '', ...rest] = splitAtAll(expected, wildcards);
  if (rest.length === 0) return expected === actual;
  const last = rest.pop()!;
  if (!actual.startsWith(first) || !actual.endsWith(last)) return false;
  const end = actual.length - last.length;
  let at = first.length;
  // The earliest place for each part leaves the most room for the others.
  for (const part of rest) {
    const found = actual.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}

function splitAtAll(text: string, separators: readonly string[]): readonly string[] {
  return separators
    .filter((separator) => separator !== '')
    .reduce<string[]>((parts, separator) => parts.flatMap((part) => part.split(separator)), [text]);
}

function isComposed(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A text in quotes, so that "1" and 1 can be told apart. */
function told(value: Json | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value) : inWords(value);
}
