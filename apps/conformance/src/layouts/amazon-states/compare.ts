import type { Json } from '@dramaturg/compiler';
import { type Difference, inWords } from '../../layout.ts';

/** The allowed differences between an expected value and ours. */
export interface Leeway {
  /** Wildcards, in an expected text or as a whole expected value. */
  readonly wildcards: readonly string[];
  /** Whether the run has generated this value: an id, a time or a token. AWS has generated a different one. */
  readonly isMadeUp: (value: Json) => boolean;
}

export const exactly: Leeway = { wildcards: [], isMadeUp: () => false };

/**
 * Adds the recorder's placeholders as wildcards. The recorder has replaced texts that AWS generated with `<timestamp>` and
 * the like. A case lists only the placeholders of its result, but recorded steps contain them as well.
 */
export function withRecorderTexts(leeway: Leeway, recorded: unknown): Leeway {
  const texts = JSON.stringify(recorded)?.match(/<[\w:-]+>/g) ?? [];
  return { ...leeway, wildcards: [...leeway.wildcards, ...texts, ...recorderWords] };
}

/** The recorder's placeholders for times. */
const recorderWords = ['date', 'timestamp'];

/** Returns the first difference of two values as two lines that start with the same path: `output.items[2]: `. */
export function mismatch(
  path: string,
  expected: Json | undefined,
  actual: Json | undefined,
  leeway: Leeway,
): Difference | undefined {
  if (matches(expected, actual, leeway)) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
      const found = mismatch(`${path}[${index}]`, expected[index], actual[index], leeway);
      if (found) return found;
    }
    return undefined;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = mismatch(`${path}.${key}`, own(expected, key), own(actual, key), leeway);
      if (found) return found;
    }
    return undefined;
  }
  if (expected === actual) return undefined;
  return {
    expected: `${path}: ${quotedText(expected)}`,
    actual: `${path}: ${quotedText(actual)}`,
  };
}

/** Whether an expected value matches the other as a whole. */
function matches(
  expected: Json | undefined,
  actual: Json | undefined,
  { wildcards, isMadeUp }: Leeway,
): boolean {
  if (expected === undefined || actual === undefined) return false;
  if (typeof expected === 'string') {
    if (wildcards.includes(expected)) return true;
    if (typeof actual === 'string' && matchesText(expected, actual, wildcards)) return true;
  }
  return !isComposed(expected) && !isComposed(actual) && isMadeUp(actual);
}

/** Whether a text matches an expected text with wildcards. */
function matchesText(expected: string, actual: string, wildcards: readonly string[]): boolean {
  const [first = '', ...rest] = splitAtAll(expected, wildcards);
  if (rest.length === 0) return expected === actual;
  const last = rest.pop()!;
  if (!actual.startsWith(first) || !actual.endsWith(last)) return false;
  const end = actual.length - last.length;
  let at = first.length;
  // The earliest match of each part leaves the most room for the others.
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

/** Quotes texts, so that "1" and 1 are distinct. */
function quotedText(value: Json | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value) : inWords(value);
}
