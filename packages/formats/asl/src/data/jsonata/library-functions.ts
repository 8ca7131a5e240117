import { isRecord, type Json, type World } from '@dramaturg/compiler';
import { keyOf } from '../intrinsic/same.ts';
import { isQuickToRead } from './date-picture.ts';
import type { JsonataFunction } from './function.ts';
import { implementationOf } from './counted-functions.ts';
import { LimitError } from './watch.ts';

/**
 * Replacements of functions of the library that can hang, lose a field named `__proto__`, return values that are not data,
 * or differ from JSONata 2.0.6, which AWS has.
 */
export function libraryFunctions(world: () => World): Readonly<Record<string, JsonataFunction>> {
  return {
    fromMillis: {
      signature: '<n-s?s?:s>',
      call: (millis?: number, picture?: string, timezone?: string) => {
        const parts = picture?.split(upperCaseMarker) ?? [picture];
        const shown = parts.map((part) =>
          part === ''
            ? ''
            : (libraryFromMillis.call({}, millis, part, timezone) as string | undefined),
        );
        if (millis === undefined) return undefined;
        return shown
          .map((part, at) => (upperCaseMarker.test(parts[at] ?? '') ? part?.toUpperCase() : part))
          .join('');
      },
    },
    distinct: { signature: '<x:x>', call: distinct },
    length: {
      signature: '<s-:n>',
      call: (text?: string) => (text === undefined ? undefined : codePointsIn(text)),
    },
    lookup: { signature: '<x-s:x>', call: lookup },
    merge: {
      signature: '<a<o>:o>',
      call: (objects?: object[]) =>
        objects && Object.fromEntries(objects.flatMap((one) => Object.entries(one))),
    },
    number: {
      signature: '<(nsb)-:n>',
      call: (value?: unknown) =>
        typeof value === 'string' && withRadix.test(value) ? Number(value) : libraryNumber(value),
    },
    sift: { signature: '<o-f?:o>', call: sift },
    spread: { signature: '<x-:a<o>>', call: spread },
    toMillis: {
      signature: '<s-s?:n>',
      call: (text?: string, picture?: string) => {
        if (text !== undefined && picture !== undefined && !isQuickToRead(text, picture)) {
          throw new LimitError('$toMillis: the text can be read in too many ways');
        }
        const environment = { timestamp: new Date(world().now()) };
        return libraryToMillis.call({ environment }, text, picture);
      },
    },
  };
}

/** Without a list of them, which takes ten times as long. */
function codePointsIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isData(value: unknown): value is Json {
  const isFunction =
    typeof value === 'object' &&
    value !== null &&
    ('_jsonata_lambda' in value || '_jsonata_function' in value);
  return typeof value !== 'function' && !isFunction;
}

/** Marks a list of results as the library does: it unwraps a list of one. */
export function sequence(results: unknown[]): unknown[] {
  return Object.assign(results, { sequence: true });
}

/** `0x1F`, `0o17`, `0b11` */
const withRadix = /^(?:0[xX][\dA-Fa-f]+|0[oO][0-7]+|0[bB][01]+)$/;
/** `[PN]`: am or pm in upper case. */
const upperCaseMarker = /(?<!\[)(\[\s*P\s*N(?!n)[^\]]*\])/;

/** Found when first called: a definition without expressions does not load the library. */
function fromLibrary(name: string): ReturnType<typeof implementationOf> {
  let found: ReturnType<typeof implementationOf> | undefined;
  return function (this: unknown, ...args) {
    return (found ??= implementationOf(name)).apply(this, args);
  };
}

const libraryFromMillis = fromLibrary('fromMillis');
const libraryNumber = fromLibrary('number');
const libraryToMillis = fromLibrary('toMillis');
const isTrue = fromLibrary('boolean');

function distinct(given: unknown): unknown {
  if (!Array.isArray(given) || given.length <= 1) return given;
  const seen = new Set<unknown>();
  const found = given.filter((one) => {
    const key = isData(one) ? keyOf(one) : one;
    return !seen.has(key) && seen.add(key);
  });
  return 'sequence' in given ? sequence(found) : found;
}

function lookup(given: unknown, name: string): unknown {
  if (Array.isArray(given)) {
    return sequence(given.flatMap((one) => lookup(one, name) ?? []));
  }
  return isRecord(given) && isData(given) && Object.hasOwn(given, name) ? given[name] : undefined;
}

function spread(given: unknown): unknown {
  if (Array.isArray(given)) {
    const parts = given.flatMap((one) => spread(one) ?? []);
    return parts.length > 0 ? parts : sequence(parts);
  }
  if (!isRecord(given) || !isData(given)) return given;
  return sequence(Object.entries(given).map((field) => Object.fromEntries([field])));
}

/** A function that the library passes as an argument. */
type Callback = ((...args: unknown[]) => Generator<unknown, unknown>) & { readonly arity: number };

function* sift(this: unknown, object: object, test: Callback): Generator<unknown, unknown> {
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const args = [value, name, object].slice(0, Math.max(test.arity, 1));
    if (isTrue(yield* test.apply(this, args))) kept.push([name, value]);
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
