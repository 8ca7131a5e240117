import { isRecord, type Json, type JsonObject } from '../json.ts';
import { hasFailedWith, mayStart, type StoredWork, type Work } from './each-work.ts';
import { valuesOf } from './persistent-list.ts';

/** An item of a list, as a stored supervisor knows it. */
export interface ItemView {
  /** The position in the list, from 0. */
  readonly index: number;
  readonly status: 'waiting' | 'running' | 'succeeded' | 'failed';
  readonly item: Json;
  /** The output of an item that has ended. */
  readonly output?: Json;
  /** The snapshot of the machine of a running item. */
  readonly snapshot?: Json;
}

/**
 * The items of a supervisor, in the order of the list.
 *
 * @param supervisor the persisted snapshot of an `each` actor. An inactive actor has no items
 */
export function itemsOf(supervisor: Json): readonly ItemView[] {
  const work = workIn(supervisor);
  if (!work) return [];
  const { input, running, ended } = work;
  const views = input.items.map((item, index): ItemView => ({ index, status: 'waiting', item }));
  for (const { index, snapshot } of running.flat())
    views[index] = { ...views[index]!, status: 'running', snapshot: snapshot as unknown as Json };
  for (const [index, output] of valuesOf(ended)) {
    const status = hasFailedWith(output) ? 'failed' : 'succeeded';
    views[index] = { ...views[index]!, status, output };
  }
  return views;
}

/** The input that the machines of all items share. */
export function sharedByItemsOf(supervisor: Json): JsonObject {
  return workIn(supervisor)?.input.shared ?? {};
}

/** How many items a supervisor has: `waiting` are those that have not begun. */
export interface ItemCounts {
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
}

/** How far a supervisor is with its items. @param supervisor as `itemsOf` */
export function itemCountsOf(supervisor: Json): ItemCounts {
  const work = workIn(supervisor);
  if (!work) return { total: 0, waiting: 0, running: 0, failed: 0 };
  const { input, next, running, ended } = work;
  let failed = 0;
  for (const [, output] of valuesOf(ended)) if (hasFailedWith(output)) failed += 1;
  const total = input.items.length;
  return { total, waiting: total - next, running: running.flat().length, failed };
}

/** How far a running supervisor is. @param snapshot of an actor, not persisted; undefined for other actors */
export function itemProgressOf(
  snapshot: unknown,
): { readonly ended: number; readonly total: number } | undefined {
  const work = isRecord(snapshot) ? snapshot['work'] : undefined;
  if (!isRecord(work) || !(work['running'] instanceof Map)) return undefined;
  const { input, next, running } = work as unknown as Work;
  return { ended: next - running.size, total: input.items.length };
}

/** The running items of a supervisor: each has the snapshot of its machine. Takes time in proportion to their number. */
export function runningItemsOf(
  supervisor: Json,
): readonly { readonly index: number; readonly snapshot: Json }[] {
  return (workIn(supervisor)?.running.flat() ?? []) as never;
}

/** Whether a supervisor can start more items now. @param supervisor as `itemsOf` */
export function mayStartMore(supervisor: Json): boolean {
  const work = workIn(supervisor);
  if (!work) return false;
  const { input, next, running } = work;
  return mayStart({ input, next, running: { size: running.flat().length } });
}

/** The persisted supervisor with other running items and another shared input. */
export function withItems(
  supervisor: Json,
  renamed: { readonly machine: (snapshot: Json) => Json; readonly shared: (shared: Json) => Json },
): Json {
  const work = workIn(supervisor);
  if (!work) return supervisor;
  const { shared } = work.input;
  return {
    ...(supervisor as JsonObject),
    work: {
      ...work,
      input: { ...work.input, ...(shared && { shared: renamed.shared(shared) }) },
      running: work.running.map((group) =>
        group.map((item) => ({ ...item, snapshot: renamed.machine(item.snapshot as never) })),
      ),
    },
  } as unknown as Json;
}

/** The work of an active supervisor; undefined for everything else. */
function workIn(snapshot: Json): StoredWork | undefined {
  if (!isRecord(snapshot) || snapshot['status'] !== 'active') return undefined;
  return snapshot['work'] as unknown as StoredWork | undefined;
}
