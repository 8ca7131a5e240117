import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import type { Evaluation } from '../evaluation.ts';
import { isLarger, longestText } from '../size.ts';

/** What can stand as an argument; `any` also where the function itself looks closer. */
type Kind = 'any' | 'text' | 'number';

/** A function that templates may call. */
export interface Intrinsic {
  readonly least: number;
  readonly most: number;
  /** What written arguments are; the last one counts for those behind it. */
  readonly takes: readonly Kind[];
  readonly gives: Kind;
  /** @throws StatesError States.IntrinsicFailure */
  readonly call: (args: readonly Json[], evaluation: Evaluation) => Json;
}

export function intrinsic(
  [least, most]: readonly [number, number],
  takes: readonly Kind[],
  gives: Kind,
  call: Intrinsic['call'],
): Intrinsic {
  return { least, most, takes, gives, call };
}

export function failed(because: string): StatesError {
  return new StatesError('States.IntrinsicFailure', because);
}

/** How many elements a list may have that a function makes; Amazon's limit for `States.ArrayRange`. */
export const mostElements = 1_000;

/** @throws StatesError States.IntrinsicFailure when the text of a value would be too long, or is nested too deeply to make */
export function requireShort(value: Json, name: string): void {
  if (!isLarger(value, longestText)) return;
  throw failed(
    `${name}: the data make a text of more than ${longestText} bytes, or are nested too deeply.`,
  );
}

/** A value as JSON. */
export function jsonOf(value: Json, name: string): string {
  requireShort(value, name);
  return JSON.stringify(value);
}

export function listOf(value: Json | undefined, name: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw failed(`${name} works on a list, not on ${kindOf(value)}.`);
}

export function textOf(value: Json | undefined, name: string): string {
  if (typeof value === 'string') return value;
  throw failed(`${name} works on a text, not on ${kindOf(value)}.`);
}

export function numberOf(value: Json | undefined, name: string): number {
  if (typeof value === 'number') return value;
  throw failed(`${name} works on numbers, not on ${kindOf(value)}.`);
}

/** Amazon rounds numbers that are to be whole, a half upwards. */
export function wholeOf(value: Json | undefined, name: string): number {
  // Adding nothing makes 0 of -0.
  return Math.round(numberOf(value, name)) + 0;
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'a text', number: 'a number', boolean: 'a truth value', object: 'an object' }[
    typeof value as 'string' | 'number' | 'boolean' | 'object'
  ];
}
