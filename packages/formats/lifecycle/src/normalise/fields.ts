import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import type { Use } from '../definition.ts';
import { error } from '../problems.ts';

/** Reads values of any shape: a wrong shape is read as absent, and the shape check reports it. */

export function optionalText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A string, or the strings of a list, each with its path. */
export function textsOf(value: unknown, at: Path): { readonly text: string; readonly at: Path }[] {
  if (typeof value === 'string') return [{ text: value, at }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown, index) =>
    typeof one === 'string' ? [{ text: one, at: [...at, index] }] : [],
  );
}

/** Actions: a name, or an object whose only key is the name. */
export function usesOf(value: unknown, at: Path): Use[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown, index): Use[] => {
    const place = [...at, index];
    if (typeof one === 'string') return [{ word: one, argument: undefined, at: place }];
    return Object.entries(record(one)).map(([word, argument]) => ({
      word,
      argument: argument as Json,
      at: [...place, word],
    }));
  });
}

export const tooMany = error('too-many', (count: string, what: string, limit: number) => ({
  message: `There are ${count} ${what}. The limit is ${limit}.`,
  hint: 'Leave out what is not needed.',
}));
