import type { Json } from '@dramaturg/compiler';
import type { DeliverableType } from './definition.ts';
import { toNumber } from './to-number.ts';

/** What a value is checked against. */
export interface ValueType {
  readonly type: DeliverableType;
  readonly enum_values: readonly string[];
}

/** Longer texts are refused: a snapshot must not grow with what a person pastes. In UTF-16 units. */
const longestText = 20_000;

const trueWords = new Set(['true', 'yes', 'y', '1']);
const falseWords = new Set(['false', 'no', 'n', '0']);

export type Coerced =
  | { readonly fits: true; readonly value: Json }
  | { readonly fits: false; readonly because: string };

/**
 * A value as its declared type has it, or why it does not fit. Text is never parsed for a string: "0123" stays text.
 * Spec: docs/formats/plan.md#values
 */
export function coerce(value: unknown, { type, enum_values }: ValueType): Coerced {
  if (value === undefined || value === null) return refuse('no value was given');
  if (typeof value === 'string' && value.trim() === '') return refuse('the text is empty');
  switch (type) {
    case 'number': {
      const number = toNumber(value);
      return number === undefined ? refuse(`${shown(value)} is not a number`) : accept(number);
    }
    case 'boolean': {
      if (typeof value === 'boolean') return accept(value);
      const word =
        typeof value === 'string' || typeof value === 'number'
          ? String(value).trim().toLowerCase()
          : '';
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
      return text.length > longestText
        ? refuse(`the text is longer than ${longestText} characters`)
        : accept(text);
    }
  }
}

/** `one of "a", "b"`: what a deliverable can be, in words. */
export function whatItIs({ type, enum_values }: ValueType): string {
  if (type === 'enum') return `one of ${listed(enum_values)}`;
  return { string: 'a text', number: 'a number', boolean: 'true or false' }[type];
}

/** `"a", "b"`; a long list is cut. */
function listed(options: readonly string[]): string {
  const first = options.slice(0, 20).map((option) => `"${option}"`);
  return `${first.join(', ')}${options.length > first.length ? ', …' : ''}`;
}

/** Whether a stored value is the expected one; both are of the declared type already. */
export function sameValue(stored: Json, expected: Json, type: DeliverableType): boolean {
  if (type === 'enum' && typeof stored === 'string' && typeof expected === 'string') {
    return sameWord(stored) === sameWord(expected);
  }
  return stored === expected;
}

function sameWord(text: string): string {
  return text.trim().toLowerCase();
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function accept(value: Json): Coerced {
  return { fits: true, value };
}

function refuse(because: string): Coerced {
  return { fits: false, because };
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}
