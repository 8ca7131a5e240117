import type { ListPosition } from '../check.ts';

export function byAge(one: ListPosition, other: ListPosition): number {
  return one.createdAt - other.createdAt || compareTexts(one.id, other.id);
}

/** Compares by code units: the same on every machine. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
