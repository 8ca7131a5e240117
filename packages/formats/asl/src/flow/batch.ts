import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Decision } from '@dramaturg/compiler/machine';
import { StatesError } from '../data/states-error.ts';

/** The state of a batch while an Approval waits. Agent 6 §Batches */
export interface BatchWork {
  /** The list to decide on. */
  readonly items?: readonly Json[];
  /** The indexes of the items that everybody has approved so far; all of them when absent. */
  readonly remaining?: readonly number[];
}

export function itemsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw new StatesError('States.Runtime', 'The ItemsPath of the Approval does not lead to a list.');
}

/** The indexes of the items in the next question. An edit may have made the list shorter. */
export function remainingItems({ items = [], remaining }: BatchWork): readonly number[] {
  return remaining?.filter((index) => index < items.length) ?? [...items.keys()];
}

/** The indexes of the items that a decision approves. The decision counts in the list of its question. */
export function approvedItems(work: BatchWork, { approved }: Decision): readonly number[] {
  const chosen = approved && new Set(approved);
  return remainingItems(work).filter((_, index) => chosen?.has(index) ?? true);
}

/** A number below 1 is a share of the items. */
export function requiredItems(written: number, count: number): number {
  return written > 0 && written < 1 ? Math.ceil(written * count) : Math.ceil(written);
}

/** The fields of the record about the items. */
export function batchRecord(items: readonly Json[], approved: readonly number[]): JsonObject {
  const chosen = new Set(approved);
  return {
    approved: items.filter((_, index) => chosen.has(index)),
    rejected: items.filter((_, index) => !chosen.has(index)),
    approvalRate: items.length === 0 ? 0 : chosen.size / items.length,
  };
}
