import type { Json } from '@dramaturg/compiler';
import type { UpdateRefused } from '@dramaturg/compiler/format';
import { counted, LinearPattern } from '@dramaturg/compiler/text';
import type { DeliverableType, ValueType } from './shape.ts';

/** The formats of strings, by their names in JSON Schema. Each check takes linear time. */
const textFormats: Readonly<
  Record<
    NonNullable<ValueType['format']>,
    { readonly what: string; readonly sample: string; readonly fits: (text: string) => boolean }
  >
> = {
  date: { what: 'a date such as 2026-03-15', sample: '2026-03-15', fits: isDate },
  time: { what: 'a time such as 17:30', sample: '17:30', fits: isTime },
  'date-time': {
    what: 'a date and time such as 2026-03-15T17:30',
    sample: '2026-03-15T17:30',
    fits: (text) => /^.{10}T/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  },
  email: {
    what: 'an email address',
    sample: 'ada@example.com',
    fits: (text) =>
      text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text.trim()),
  },
  phone: {
    what: 'a phone number',
    sample: '+44 20 7946 0000',
    fits: (text) => /^\+?[\d\s()./-]{5,30}$/.test(text) && isPhoneLength(text),
  },
  url: {
    what: 'a web address such as https://example.com',
    sample: 'https://example.com',
    fits: (text) => /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/i.test(text),
  },
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Seconds and an offset are optional: people rarely say them. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?$/i.test(text);
}

function isPhoneLength(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  return digits >= 5 && digits <= 15;
}

/** Longer strings are refused, so that pasted text cannot inflate a snapshot. In code points, like the limits of authors. */
const longestText = 20_000;
const longestList = 200;

export const anyText: ValueType = { type: 'string', enum_values: [], at: [] };

const trueWords = new Set(['true', 'yes', 'y', '1']);
const falseWords = new Set(['false', 'no', 'n', '0']);

export type Coerced = { readonly fits: true; readonly value: Json } | Misfit;

/** Why a value is refused. The code is that of a value whose check took too much work. */
export interface Misfit {
  readonly fits: false;
  readonly because: string;
  readonly code?: UpdateRefused['code'];
}

/**
 * Converts a value to its declared type, or says why it does not fit. Every value passes through here. Strings are never parsed
 * for a string type: "0123" is unchanged. Spec: docs/formats/plan.md#values
 */
export function coerce(value: unknown, type: ValueType): Coerced {
  const coerced = convert(value, type);
  const problem = coerced.fits ? beyondLimits(coerced.value, type) : undefined;
  if (problem === undefined) return coerced;
  const misfit = refuse(problem);
  return problem === tooMuchWork ? { ...misfit, code: 'value/not-checked' } : misfit;
}

function convert(value: unknown, { type, enum_values, items = anyText }: ValueType): Coerced {
  if (value === undefined || value === null) return refuse('no value was given');
  if (typeof value === 'string' && value.trim() === '') return refuse('the text is empty');
  switch (type) {
    case 'number': {
      const number = toNumber(value);
      return number === undefined ? refuse(`${shown(value)} is not a number`) : accept(number);
    }
    case 'boolean': {
      const word = isScalar(value) ? sameWord(String(value)) : '';
      if (trueWords.has(word)) return accept(true);
      if (falseWords.has(word)) return accept(false);
      return refuse(`${shown(value)} is neither yes nor no`);
    }
    case 'enum': {
      const wanted = isScalar(value) ? sameWord(String(value)) : undefined;
      const option = enum_values.find((candidate) => sameWord(candidate) === wanted);
      return option === undefined
        ? refuse(`${shown(value)} is none of ${listed(enum_values)}`)
        : accept(option);
    }
    case 'string': {
      if (!isScalar(value)) return refuse(`${shown(value)} is not a text`);
      const text = String(value);
      return Array.from(text).length > longestText
        ? refuse(`the text is longer than ${longestText} characters`)
        : accept(text);
    }
    case 'list': {
      const given: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (given.length > longestList)
        return refuse(`the list has more than ${longestList} entries`);
      const entries = given.map((entry) => coerce(entry, items));
      const misfit = entries.find(({ fits }) => !fits);
      return misfit ?? accept(entries.flatMap((entry) => (entry.fits ? [entry.value] : [])));
    }
  }
}

/** Why a value of the right type is refused. */
function beyondLimits(value: Json, type: ValueType): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, format } = type;
  const { min_length: least = 0, max_length: most = Infinity } = type;
  if (typeof value === 'number') {
    if (value < minimum) return `${value} is less than ${minimum}`;
    return value > maximum ? `${value} is more than ${maximum}` : undefined;
  }
  if (Array.isArray(value)) {
    if (value.length < least) return `the list has fewer than ${counted(least, 'entry')}`;
    return value.length > most ? `the list has more than ${counted(most, 'entry')}` : undefined;
  }
  if (typeof value !== 'string' || type.type === 'enum') return undefined;
  const { length } = Array.from(value);
  if (length < least) return `${shown(value)} has fewer than ${counted(least, 'character')}`;
  if (length > most) return `${shown(value)} has more than ${counted(most, 'character')}`;
  if (format && !textFormats[format].fits(value))
    return `${shown(value)} is not ${textFormats[format].what}`;
  const pattern = patternOf(type);
  const isMatch = pattern === undefined || pattern.test(value);
  if (isMatch === undefined) return tooMuchWork;
  return isMatch ? undefined : `${shown(value)} does not have the right form`;
}

const tooMuchWork =
  'the text could not be checked, because that takes more work than one turn may do; a shorter text takes less';

const patterns = new WeakMap<ValueType, LinearPattern | null>();

/** Undefined without a pattern, and for an invalid pattern, which `check` reports. */
function patternOf(type: ValueType): LinearPattern | undefined {
  if (type.pattern === undefined) return undefined;
  let pattern = patterns.get(type);
  if (pattern === undefined) {
    try {
      pattern = new LinearPattern(type.pattern);
    } catch {
      pattern = null;
    }
    patterns.set(type, pattern);
  }
  return pattern ?? undefined;
}

/** Whether a type has limits. */
export function hasLimits(type: ValueType): boolean {
  const { pattern, format, minimum, maximum, min_length, max_length, items } = type;
  const all = [pattern, format, minimum, maximum, min_length, max_length];
  return all.some((limit) => limit !== undefined) || (items !== undefined && hasLimits(items));
}

/** The type that a condition compares: for a list, that of its entries. */
export function comparedType(type: ValueType): ValueType {
  return type.type === 'list' ? (type.items ?? anyText) : type;
}

/** `one of "a", "b"`: the allowed values of a deliverable, in words. */
export function whatItIs(valueType: ValueType): string {
  const { type, enum_values, format, pattern, minimum, maximum, items = anyText } = valueType;
  const { min_length, max_length } = valueType;
  switch (type) {
    case 'enum':
      return `one of ${listed(enum_values)}`;
    case 'boolean':
      return 'true or false';
    case 'number':
      return `a number${range(minimum, maximum)}`;
    case 'list':
      return `a list${range(min_length, max_length, ' entries')} (each ${whatItIs(items)})`;
    case 'string': {
      const length = range(min_length, max_length, ' characters');
      const form = pattern === undefined ? '' : ` of the form ${pattern}`;
      return `${format ? textFormats[format].what : 'a text'}${length}${form}`;
    }
  }
}

/** ` from 1 to 5`, with a unit for countable things. */
function range(least: number | undefined, most: number | undefined, unit = ''): string {
  if (least === undefined && most === undefined) return '';
  const joint = unit === '' ? ' of' : ' with';
  if (least === undefined) return `${joint} at most ${most}${unit}`;
  if (most === undefined) return `${joint} at least ${least}${unit}`;
  return unit === '' ? ` from ${least} to ${most}` : `${joint} ${least} to ${most}${unit}`;
}

/** Valid values for trying out a plan: samples of the author, else one that is made from the limits. */
export function fittingSamples(type: ValueType, examples: readonly string[]): Json[] {
  const { format, min_length: least = 0 } = type;
  const made = [
    ...(format ? [textFormats[format].sample] : []),
    patternOf(type)?.sample ?? 'a'.repeat(Math.max(1, Math.min(least, longestText))),
  ];
  const samples = type.type === 'string' ? [...examples, ...made] : examples;
  return samples.flatMap((sample) => {
    const coerced = coerce(sample, type);
    return coerced.fits ? [coerced.value] : [];
  });
}

/** `"a", "b"`; a long list is cut. */
function listed(options: readonly string[]): string {
  const first = options.slice(0, 20).map((option) => `"${option}"`);
  return `${first.join(', ')}${options.length > first.length ? ', …' : ''}`;
}

/**
 * Whether a stored value is the expected one, or a list that contains it. Both already have the declared type.
 *
 * @param type what conditions compare
 */
export function sameValue(stored: Json, expected: Json, type: DeliverableType): boolean {
  if (Array.isArray(stored)) return stored.some((entry: Json) => sameValue(entry, expected, type));
  if (type === 'enum' && typeof stored === 'string' && typeof expected === 'string') {
    return sameWord(stored) === sameWord(expected);
  }
  return stored === expected;
}

export function isSame(one: Json | undefined, other: Json): boolean {
  return one === other || (Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other));
}

function sameWord(text: string): string {
  return text.trim().toLowerCase();
}

export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function accept(value: Json): Coerced {
  return { fits: true, value };
}

function refuse(because: string): Misfit {
  return { fits: false, because };
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

/** Reads a number, or a string that contains one; undefined for blank, infinite and everything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
