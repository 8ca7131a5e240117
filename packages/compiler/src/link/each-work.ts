import type { AnyActorRef, Snapshot } from 'xstate';
import { isRecord, type Json } from '../json.ts';
import type { EachInput, EachOutput, EventFromItem, Tally } from './each-contract.ts';
import { type PersistentList, valuesOf, withValue } from './persistent-list.ts';

/** An item that has ended: its index and its output. */
export type EndedItem = readonly [index: number, output: Json | null];

/**
 * The progress of one `each` actor. One object for the lifetime of the actor, and the only thing here that changes in
 * place: lists copied at each event would make the work quadratic in the number of items.
 *
 * Invariant: an item is waiting (index from `next`), running (in `running`) or ended (in `ended`).
 */
export interface Work {
  readonly input: EachInput;
  /** Index of the next item to start. */
  next: number;
  /** More items can start: an `each.more` follows a pause. */
  isFilling: boolean;
  readonly running: Map<number, AnyActorRef>;
  /** In order of time. */
  ended: PersistentList<EndedItem>;
  /** The indexes of the ended items that failed, in order of time. */
  readonly failures: number[];
  readonly sums: Record<string, number>;
  /** The snapshot that was last stored: the same object, until something changes. */
  persisted: PersistedEach | undefined;
}

/**
 * The stored form of an active actor. Parts that do not change between steps are the same objects: the input, the
 * full parts of `ended`, and the snapshots of items.
 */
export interface StoredWork {
  readonly input: EachInput;
  readonly next: number;
  readonly isFilling: boolean;
  /** In groups of neighbours, in the order of the list. */
  readonly running: readonly (readonly RunningItem[])[];
  readonly ended: PersistentList<EndedItem>;
}

export type PersistedEach = Snapshot<unknown> & { readonly work: StoredWork };

interface RunningItem {
  readonly index: number;
  readonly snapshot: Snapshot<unknown>;
}

/** Creates the work from a stored progress; without one, at its beginning. */
export function workOf(
  input: EachInput,
  { next, isFilling, ended }: Omit<StoredWork, 'input' | 'running'> = atBeginning,
): Work {
  const work: Work = {
    input,
    next,
    isFilling,
    running: new Map(),
    ended,
    failures: [],
    sums: {},
    persisted: undefined,
  };
  for (const item of valuesOf(ended)) count(work, item);
  return work;
}

const atBeginning = { next: 0, isFilling: false, ended: [] };

/** Records the end of an item. */
export function recordEnding(work: Work, event: EventFromItem): void {
  const item: EndedItem = [Number(event.actorId), outputIn(event)];
  work.ended = withValue(work.ended, item);
  count(work, item);
}

function outputIn(event: EventFromItem): Json | null {
  if (!('error' in event)) return event.output ?? null;
  const { error } = event;
  const cause = error instanceof Error ? error.message : String(error);
  return { status: 'failed', error: 'States.Runtime', cause };
}

function count({ input: { tally }, failures, sums }: Work, [index, output]: EndedItem): void {
  if (tally) addUp(sums, output, tally);
  if (hasFailedWith(output)) failures.push(index);
}

/** Whether this is the output of an item that failed. */
export function hasFailedWith(output: Json | null): boolean {
  return isRecord(output) && output['status'] !== undefined && output['status'] !== 'succeeded';
}

/** Adds the numbers of an output to the sums. */
function addUp(sums: Record<string, number>, output: Json | null, { field }: Tally): void {
  const part = isRecord(output) ? output[field] : undefined;
  if (!isRecord(part)) return;
  for (const [name, amount] of Object.entries(part)) {
    if (typeof amount === 'number' && name !== '__proto__')
      sums[name] = (Object.hasOwn(sums, name) ? sums[name]! : 0) + amount;
  }
}

export function outputOf(work: Work): EachOutput {
  const { input, ended, failures } = work;
  const results = Array.from<Json | null>({ length: input.items.length }).fill(null);
  for (const [index, output] of valuesOf(ended)) results[index] = output;
  return {
    results,
    failures,
    stopped: hasFailed(work),
    ...(hasExceeded(work) && { exceeded: true as const }),
  };
}

function hasExceeded({ input: { tally }, sums }: Work): boolean {
  if (!tally) return false;
  return Object.entries(tally.limits).some(
    ([name, most]) => Object.hasOwn(sums, name) && sums[name]! > most,
  );
}

export function hasFailed(work: Work): boolean {
  const { failures, input } = work;
  const { tolerated } = input;
  return (tolerated !== null && failures.length > tolerated) || hasExceeded(work);
}

export function mayStart({
  next,
  input: { items, concurrency },
  running,
}: Pick<Work, 'next' | 'input'> & { readonly running: { readonly size: number } }): boolean {
  return next < items.length && (concurrency === 0 || running.size < concurrency);
}

export function isOver(work: Work): boolean {
  return hasFailed(work) || (work.running.size === 0 && work.next >= work.input.items.length);
}

/** The snapshot of an active actor to store: the same object as before when nothing has changed. */
export function persistedFormOf(work: Work): PersistedEach {
  const { input, next, isFilling, ended, persisted } = work;
  const before = persisted?.work;
  const running = groupsOf(work.running, before?.running ?? []);
  const isSame =
    before?.next === next &&
    before.isFilling === isFilling &&
    before.ended === ended &&
    areSame(before.running, running);
  if (persisted && isSame) return persisted;
  const stored = { input, next, isFilling, running, ended };
  work.persisted = { status: 'active', output: undefined, error: undefined, work: stored };
  return work.persisted;
}

/** At most this many items with neighbouring indexes are stored in one list: they often change in the same step. */
const groupLength = 16;

const groupOf = (index: number) => Math.floor(index / groupLength);

/** @param before the groups that were stored last: unchanged groups are the same objects */
function groupsOf(running: Work['running'], before: StoredWork['running']): StoredWork['running'] {
  const known = new Map(before.map((group) => [groupOf(group[0]!.index), group]));
  const groups = new Map<number, RunningItem[]>();
  for (const [index, item] of running) {
    const key = groupOf(index);
    const snapshot = item.getPersistedSnapshot();
    const same = known.get(key)?.find((each) => each.index === index);
    const stored = same?.snapshot === snapshot ? same : { index, snapshot };
    const group = groups.get(key);
    if (group) group.push(stored);
    else groups.set(key, [stored]);
  }
  return Array.from(groups, ([key, group]) => {
    const same = known.get(key);
    return same && areSame(same, group) ? same : group;
  });
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
