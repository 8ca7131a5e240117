import type { AnyActorRef } from 'xstate';
import { isRecord, type Json } from '../json.ts';
import type { EventFromItem, Reports, Tally } from './each-contract.ts';

/**
 * The progress of one `each` actor. One object for the lifetime of the actor, and the only thing here that changes in
 * place: lists copied at each event would make the work quadratic in the number of items.
 *
 * Invariant: an item is waiting (index from `next`), running (in `running`) or ended (in `results`).
 */
export interface Work {
  readonly concurrency: number;
  readonly tolerated: number | null;
  /** The inputs of the items that were not started when the actor was created; they are the last ones. */
  readonly waiting: readonly Json[];
  /** Index of the next item to start. */
  next: number;
  /** More items can start now: an `each.more` was scheduled. */
  isFilling: boolean;
  readonly running: Map<number, AnyActorRef>;
  readonly results: (Json | null)[];
  readonly failures: number[];
  readonly tally: Tally | undefined;
  readonly reports: Reports | undefined;
  readonly sums: Record<string, number>;
}

/** With two decimal places. */
export function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}

/** Records the end of an item. */
export function recordEnding({ results, failures, tally, sums }: Work, event: EventFromItem): void {
  const index = Number(event.actorId);
  if ('error' in event) {
    const { error } = event;
    const cause = error instanceof Error ? error.message : String(error);
    results[index] = { status: 'failed', error: 'States.Runtime', cause };
    failures.push(index);
    return;
  }
  const { output = null } = event;
  results[index] = output;
  addedUp(sums, output, tally);
  if (isRecord(output) && output['status'] !== undefined && output['status'] !== 'succeeded')
    failures.push(index);
}

/** Adds the numbers of an output to the sums. */
export function addedUp(
  sums: Record<string, number>,
  output: Json | null,
  tally: Tally | undefined,
): Record<string, number> {
  const part = tally && isRecord(output) ? output[tally.field] : undefined;
  if (!isRecord(part)) return sums;
  for (const [name, amount] of Object.entries(part)) {
    if (typeof amount === 'number' && name !== '__proto__') {
      sums[name] = (Object.hasOwn(sums, name) ? sums[name]! : 0) + amount;
    }
  }
  return sums;
}

export function hasExceeded({ tally, sums }: Work): boolean {
  if (!tally) return false;
  return Object.entries(tally.limits).some(
    ([name, most]) => Object.hasOwn(sums, name) && sums[name]! > most,
  );
}

export function hasFailed(work: Work): boolean {
  const { failures, tolerated } = work;
  return (tolerated !== null && failures.length > tolerated) || hasExceeded(work);
}

export function mayStart({ next, results, running, concurrency }: Work): boolean {
  return next < results.length && (concurrency === 0 || running.size < concurrency);
}

export function firstWaiting({ results, waiting }: Work): number {
  return results.length - waiting.length;
}
