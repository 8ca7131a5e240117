import type { Decision, Json, JsonObject } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';

/** What a batch keeps in mind while it waits. Agent 6 §Batches */
export interface BatchWork {
  /** The list to decide on. */
  readonly items?: readonly Json[];
  /** The indexes of those that everybody has approved so far; all of them when absent. */
  readonly left?: readonly number[];
}

export function itemsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw new StatesError('States.Runtime', 'The ItemsPath of the Approval does not lead to a list.');
}

/** The indexes of the items that the next person is asked about. An edit may have made the list shorter. */
export function leftOf({ items = [], left }: BatchWork): readonly number[] {
  return left?.filter((index) => index < items.length) ?? [...items.keys()];
}

/** The indexes of the items that an approval leaves: it counts them in the list that it was asked about. */
export function approvedOf(work: BatchWork, { approved }: Decision): readonly number[] {
  const chosen = approved && new Set(approved);
  return leftOf(work).filter((_, index) => chosen?.has(index) ?? true);
}

/** A number below 1 is a share. */
export function leastOf(written: number, count: number): number {
  return written > 0 && written < 1 ? Math.ceil(written * count) : Math.ceil(written);
}

/** What the record says of the items. */
export function sortedOut(items: readonly Json[], approved: readonly number[]): JsonObject {
  const chosen = new Set(approved);
  return {
    approved: items.filter((_, index) => chosen.has(index)),
    rejected: items.filter((_, index) => !chosen.has(index)),
    approvalRate: items.length === 0 ? 0 : chosen.size / items.length,
  };
}
