import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import type { Evaluation } from '../evaluation.ts';
import { isLarger, longestText } from '../size.ts';

/** The type of an argument. A function that takes `any` may check the type itself. */
type Kind = 'any' | 'text' | 'number';

/** A function that templates can call. */
export interface Intrinsic {
  readonly least: number;
  readonly most: number;
  /** The types of the arguments; the last one applies to all that follow. */
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

/** The most elements in a list that a function creates: Amazon's limit for `States.ArrayRange`. */
export const mostElements = 1_000;

/** @throws StatesError States.IntrinsicFailure when the value is too large or too deep to become a string */
export function requireShort(value: Json, name: string): void {
  if (!isLarger(value, longestText)) return;
  throw failed(
    `${name}: the data is nested too deeply, or its text has more than ${longestText} bytes.`,
  );
}

/** A value as JSON. */
export function jsonOf(value: Json, name: string): string {
  requireShort(value, name);
  return JSON.stringify(value);
}

export function requireList(value: Json | undefined, name: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw failed(`${name} works on a list, not on ${kindOf(value)}.`);
}

export function requireText(value: Json | undefined, name: string): string {
  if (typeof value === 'string') return value;
  throw failed(`${name} works on a text, not on ${kindOf(value)}.`);
}

export function requireNumber(value: Json | undefined, name: string): number {
  if (typeof value === 'number') return value;
  throw failed(`${name} works on numbers, not on ${kindOf(value)}.`);
}

/** Amazon rounds to the next integer, halves upwards. */
export function requireInteger(value: Json | undefined, name: string): number {
  // Adding 0 turns -0 into 0.
  return Math.round(requireNumber(value, name)) + 0;
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'a text', number: 'a number', boolean: 'a truth value', object: 'an object' }[
    typeof value as 'string' | 'number' | 'boolean' | 'object'
  ];
}
